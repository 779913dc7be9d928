//! Cores and the work that is dealt out to them.

use tilewright_metal::{Architecture, CoreCoord, CoreRange, CoreSet, WorkSplit};

use crate::at::At;
use crate::document::{Kernel, Split};
use crate::problem::Problem;
use crate::scope::{Here, Scope};
use crate::word::{Argument, Cores, Expression};

/// One core's share of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) core: CoreCoord,
    pub(crate) start: u32,
    pub(crate) count: u32,
}

/// The cores that have work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    /// Whether it was dealt out; otherwise every core of the program is here, with no units.
    pub(crate) is_split: bool,
    pub(crate) shares: Vec<Share>,
    /// How many shares have the most units.
    pub(crate) first_group: usize,
}

impl Work {
    /// Units of all cores.
    pub(crate) fn units(&self) -> u32 {
        self.shares.iter().map(|share| share.count).sum()
    }

    /// Units of each core of a group that begins at a share; 0 if it is empty.
    pub(crate) fn group_count(&self, first: usize) -> u32 {
        self.shares.get(first).map_or(0, |share| share.count)
    }

    /// All cores that have work.
    pub(super) fn cores(&self) -> CoreSet {
        self.shares.iter().map(|share| share.core).collect()
    }

    /// What expressions know of a core; one without work has no share.
    pub(super) fn here(&self, core: CoreCoord, index: usize) -> Here {
        let share = self.shares.iter().find(|share| self.is_split && share.core == core);
        Here { core, index, share: share.map(|share| (share.start, share.count)) }
    }
}

/// The program's cores: those it names, or all of the grid.
pub(super) fn program_cores(
    arch: &Architecture,
    scope: &Scope<'_>,
    asked: Option<u32>,
) -> Result<Vec<CoreCoord>, Problem> {
    let grid = arch.cores();
    if let Some(asked) = asked {
        return Ok((0..grid.min(asked as usize)).map(|index| arch.core_at(index)).collect());
    }
    match &scope.program.cores {
        None => Ok((0..grid).map(|index| arch.core_at(index)).collect()),
        Some(cores) => Ok(named(arch, scope, cores)?.iter().collect()),
    }
}

/// Deals the work out, or gives every core of the program.
pub(super) fn work(
    arch: &Architecture,
    scope: &Scope<'_>,
    cores: &[CoreCoord],
) -> Result<Work, Problem> {
    let Some(At { value: Split { units, over }, span }) = &scope.program.split else {
        let share = |core: &CoreCoord| Share { core: *core, start: 0, count: 0 };
        let shares: Vec<Share> = cores.iter().map(share).collect();
        return Ok(Work { is_split: false, first_group: shares.len(), shares });
    };
    let unit_count = scope.in_range(units, "`units`", 1..=i64::from(u32::MAX))?;
    let most = cores.len() as i64;
    let over = over.as_ref().map(|over| scope.in_range(over, "`over`", 1..=most)).transpose()?;
    let split = WorkSplit::new(arch, over.unwrap_or(most as u32), unit_count)
        .map_err(|error| Problem::new(span.clone(), error.to_string()))?;
    let shares = split.shares().iter().zip(cores).map(|(share, core)| Share {
        core: *core,
        start: share.first_unit,
        count: share.units,
    });
    let shares = shares.collect();
    Ok(Work { is_split: true, shares, first_group: split.group_1().len() })
}

/// Units of a core with which its loops repeat, whatever its rings are.
const UNITS_LEAST: u32 = 4;
/// And more than these are not waited for, however many pages a ring has.
const UNITS_MOST: u32 = 64;

/// On how few cores every core would have so much work that each ring goes round twice; nothing if
/// the program says itself which cores do what.
pub(super) fn few(scope: &Scope<'_>, work: &Work) -> Option<u32> {
    let program = scope.program;
    let is_group = |cores: &At<Cores>| match &cores.value {
        Cores::One(Expression::Text(text)) => text == "group_1" || text == "group_2",
        Cores::One(Expression::Number(_)) | Cores::Several(_) => false,
    };
    let names_cores = program.cores.is_some()
        || program.split.as_ref().is_none_or(|split| split.value.over.is_some())
        || program.buffers.values().any(|it| it.cores.is_some() || it.in_tensor.is_some())
        || program.kernels.values().filter_map(|it| it.cores.as_ref()).any(|it| !is_group(it));
    let is_per_core = |kernel: &Kernel| {
        let bound = kernel.bindings.iter().flat_map(|bindings| bindings.args.values());
        let mut all = kernel.args.iter().chain(bound);
        all.any(|argument| matches!(argument.value, Argument::PerCore(_)))
    };
    let talks = !program.semaphores.is_empty() || program.kernels.values().any(is_per_core);
    // A kernel that is told where its work begins and not how much it is takes one unit.
    let takes_all = |kernel: &Kernel| mentions(kernel, "count") || !mentions(kernel, "start");
    let counts = program.kernels.values().any(|kernel| mentions(kernel, "count"));
    if names_cores || talks || !counts || !program.kernels.values().all(takes_all) {
        return None;
    }
    let pages = program.buffers.values().filter_map(|buffer| scope.number(&buffer.pages).ok());
    let pages = u32::try_from(pages.max().unwrap_or(0)).unwrap_or(UNITS_MOST);
    let enough = pages.saturating_mul(2).saturating_add(1).clamp(UNITS_LEAST, UNITS_MOST);
    Some((work.units() / enough).max(1))
}

/// Whether an argument of a kernel speaks of something.
fn mentions(kernel: &Kernel, word: &str) -> bool {
    let speaks = |expression: &Expression| match expression {
        Expression::Text(text) => text.contains(word),
        Expression::Number(_) => false,
    };
    let bound = kernel.bindings.iter().flat_map(|bindings| bindings.args.values());
    let is_told = kernel.args.iter().chain(bound).any(|argument| match &argument.value {
        Argument::One(expression) => speaks(expression),
        Argument::PerCore(all) => all.iter().any(|expression| speaks(&expression.value)),
    });
    is_told || kernel.compile_time_args.iter().any(|argument| speaks(&argument.value))
}

/// The cores of a buffer, semaphore or kernel: those it names, or all that have work.
pub(super) fn own(
    arch: &Architecture,
    scope: &Scope<'_>,
    work: &Work,
    cores: Option<&At<Cores>>,
) -> Result<CoreSet, Problem> {
    let Some(cores) = cores else { return Ok(work.cores()) };
    let group = |shares: &[Share]| shares.iter().map(|share| share.core).collect();
    match &cores.value {
        Cores::One(Expression::Text(text)) if text == "group_1" && work.is_split => {
            Ok(group(&work.shares[..work.first_group]))
        }
        Cores::One(Expression::Text(text)) if text == "group_2" && work.is_split => {
            Ok(group(&work.shares[work.first_group..]))
        }
        Cores::One(_) | Cores::Several(_) => named(arch, scope, cores),
    }
}

fn named(arch: &Architecture, scope: &Scope<'_>, cores: &At<Cores>) -> Result<CoreSet, Problem> {
    match &cores.value {
        Cores::One(Expression::Text(text)) if text.contains('(') && text.starts_with('(') => {
            range(arch, &At { value: text.clone(), span: cores.span.clone() })
        }
        Cores::One(expression) => {
            let given = At { value: expression.clone(), span: cores.span.clone() };
            let count = scope.in_range(&given, "the number of cores", 1..=arch.cores() as i64)?;
            Ok((0..count as usize).map(|index| arch.core_at(index)).collect())
        }
        Cores::Several(ranges) => {
            let sets = ranges.iter().map(|it| range(arch, it)).collect::<Result<Vec<_>, _>>()?;
            Ok(sets.iter().flat_map(CoreSet::iter).collect())
        }
    }
}

/// The places of shards, in the order in which they are filled: cores, or banks of DRAM as the
/// columns of row 0.
pub(super) fn places(
    arch: &Architecture,
    scope: &Scope<'_>,
    cores: &At<Cores>,
) -> Result<Vec<CoreRange>, Problem> {
    let text = |text: &String| At { value: text.clone(), span: cores.span.clone() };
    match &cores.value {
        Cores::One(Expression::Text(range)) if range.starts_with('(') => {
            Ok(vec![corners(&text(range))?])
        }
        Cores::Several(ranges) => ranges.iter().map(corners).collect(),
        Cores::One(_) => Ok(named(arch, scope, cores)?.iter().map(CoreRange::from).collect()),
    }
}

/// A range of cores that the grid has.
fn range(arch: &Architecture, given: &At<String>) -> Result<CoreSet, Problem> {
    let range = corners(given)?;
    if !arch.has_core(range.end) {
        let (columns, rows) = (arch.grid_columns - 1, arch.grid_rows - 1);
        let message = format!("`{}` is outside the grid", given.value);
        return Err(Problem::new(given.span.clone(), message)
            .help(format!("the grid has columns 0 to {columns} and rows 0 to {rows}")));
    }
    Ok(range.into())
}

/// `(x,y)` or `(x,y)-(x,y)`, both corners included.
fn corners(given: &At<String>) -> Result<CoreRange, Problem> {
    let wrong = |why: String| Problem::new(given.span.clone(), why);
    let corner = |text: &str| -> Option<CoreCoord> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let (x, y) = inner.split_once(',')?;
        Some(CoreCoord::new(x.trim().parse().ok()?, y.trim().parse().ok()?))
    };
    let text = given.value.as_str();
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let (Some(start), Some(end)) = (corner(start), corner(end)) else {
        return Err(wrong(format!("`{text}` is not a range of cores"))
            .help("write it as \"(0,0)-(3,1)\", columns first"));
    };
    if start.x > end.x || start.y > end.y {
        return Err(wrong(format!("`{text}` is an empty range of cores"))
            .help("write a range from the upper left to the lower right"));
    }
    Ok(CoreRange::new(start, end))
}
