//! What names mean in expressions: values, tensors, buffers, semaphores, cores and shares.
//!
//! Values and tensors may be declared in any order and may use each other, but not themselves.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use tilewright_metal::{CoreCoord, DeviceTensor, Paging, Shape, Tensor as HostTensor, nearest};

use super::at::At;
use super::document::{self, Document, Program};
use super::evaluate::{self, Meaning, Unknown, Wrong};
use super::expression;
use super::lower::cores::Work;
use super::problem::Problem;
use super::word::Expression;

/// Names without a dot that are not the manifest's own.
pub(super) const OWN_NAMES: [(&str, &str); 3] = [
    ("cores", "how many cores the program has"),
    ("start", "the first unit of this core's share"),
    ("count", "how many units this core has"),
];

/// What a tensor's name may be followed by.
pub(super) const TENSOR_NAMES: [(&str, &str); 11] = [
    ("rows", "rows of all matrices"),
    ("columns", "the last size"),
    ("matrices", "how many matrices are stacked"),
    ("matrix_rows", "rows of one matrix"),
    ("tiles", "tiles of all matrices"),
    ("tile_rows", "rows of tiles of all matrices"),
    ("tile_columns", "columns of tiles"),
    ("matrix_tile_rows", "rows of tiles of one matrix"),
    ("pages", "pages: tiles, or rows of a row-major tensor"),
    ("page_bytes", "bytes of a page"),
    ("address", "where it begins, in every bank alike"),
];

const BUFFER_NAMES: [&str; 3] = ["index", "pages", "page_bytes"];
const CORE_NAMES: [&str; 3] = ["index", "x", "y"];
const GRID_NAMES: [&str; 2] = ["x", "y"];
const SPLIT_NAMES: [&str; 4] = ["units", "cores", "count_1", "count_2"];

/// The core that an argument is evaluated for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    pub(super) core: CoreCoord,
    /// Its place among the cores that have work.
    pub(super) index: usize,
    /// Its share, if work is split.
    pub(super) share: Option<(u32, u32)>,
}

/// All that is known so far of a program.
pub(super) struct Scope<'a> {
    /// What all programs share.
    pub(super) document: &'a Document,
    pub(super) program: &'a Program,
    pub(super) text: &'a str,
    /// Values that the caller replaced.
    pub(super) set: &'a BTreeMap<String, i64>,
    /// Tensors that come from files.
    pub(super) files: &'a BTreeMap<String, HostTensor>,
    /// Tensors that are on the device.
    pub(super) placed: BTreeMap<String, DeviceTensor>,
    /// Columns and rows of the device's grid of cores.
    grid: (u8, u8),
    /// How many cores the program has.
    pub(super) cores: Option<usize>,
    pub(super) work: Option<Work>,
    /// Tensors whose address or accessor was asked for.
    used: RefCell<BTreeSet<String>>,
    depth: Cell<usize>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(
        (document, program): (&'a Document, &'a Program),
        grid: (u8, u8),
        text: &'a str,
        set: &'a BTreeMap<String, i64>,
        files: &'a BTreeMap<String, HostTensor>,
    ) -> Scope<'a> {
        Scope {
            document,
            program,
            text,
            set,
            files,
            placed: BTreeMap::new(),
            grid,
            cores: None,
            work: None,
            used: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// The same tensors for another program.
    pub(super) fn with_program(&self, program: &'a Program) -> Scope<'a> {
        let scope =
            Scope::new((self.document, program), self.grid, self.text, self.set, self.files);
        Scope { placed: self.placed.clone(), ..scope }
    }

    /// Notes that a kernel is told where a tensor lies.
    pub(super) fn uses(&self, tensor: &str) {
        self.used.borrow_mut().insert(tensor.to_owned());
    }

    /// The tensors that its kernels are told of.
    pub(super) fn used(&self) -> BTreeSet<String> {
        self.used.borrow().clone()
    }

    /// The number that an expression comes to.
    pub(super) fn number(&self, given: &At<Expression>) -> Result<i64, Problem> {
        self.number_on(given, None)
    }

    /// The number that an expression comes to on a core.
    pub(super) fn number_on(
        &self,
        given: &At<Expression>,
        here: Option<Here>,
    ) -> Result<i64, Problem> {
        let text = match &given.value {
            Expression::Number(number) => return Ok(*number),
            Expression::Text(text) => text,
        };
        let placed = |problem: Problem| self.within(given, text, problem);
        let part = expression::parse(text).map_err(placed)?;
        evaluate::whole(&part, &|name| self.meaning(name, here)).map_err(|wrong| match wrong {
            Wrong::Here(problem) => placed(problem),
            Wrong::Elsewhere(problem) => problem,
        })
    }

    /// A number that must lie in a range.
    pub(super) fn in_range(
        &self,
        given: &At<Expression>,
        what: &str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<u32, Problem> {
        let number = self.number(given)?;
        if range.contains(&number) {
            return Ok(number as u32);
        }
        let (least, most) = range.into_inner();
        let message = format!("{what} is {number}; it must be from {least} to {most}");
        Err(Problem::new(given.span.clone(), message))
    }

    /// A problem of an expression, at its place in the manifest: inside the quotes if the text
    /// stands there as it is.
    fn within(&self, given: &At<Expression>, text: &str, problem: Problem) -> Problem {
        let start = given.span.start + 1;
        let is_plain = self.text.get(start..start + text.len()) == Some(text);
        let span = if is_plain {
            start + problem.span.start..start + problem.span.end
        } else {
            given.span.clone()
        };
        Problem { span, ..problem }
    }

    fn meaning(&self, name: &str, here: Option<Here>) -> Meaning {
        let parts: Vec<&str> = name.split('.').collect();
        match parts[..] {
            [single] => self.single(single, here),
            ["tensor", tensor, what] => self.tensor(tensor, what),
            ["buffer", buffer] => self.buffer(buffer, "index"),
            ["buffer", buffer, what] => self.buffer(buffer, what),
            ["semaphore", semaphore] => self.semaphore(semaphore),
            ["core", what] => core(what, here),
            ["grid", "x"] => Ok(self.grid.0.into()),
            ["grid", "y"] => Ok(self.grid.1.into()),
            ["grid", what] => Err(unknown_part("grid", what, GRID_NAMES)),
            ["split", what] => self.split(what),
            _ => {
                let parts = ["tensor.…", "buffer.…", "semaphore.…", "core.…", "grid.…", "split.…"];
                Err(unknown(name, parts))
            }
        }
    }

    fn single(&self, name: &str, here: Option<Here>) -> Meaning {
        if let Some(number) = self.set.get(name) {
            return Ok(*number);
        }
        let values = &self.document.values;
        if let Some((key, value)) = values.iter().find(|(key, _)| key.value == name) {
            return self.nested(key, || self.number_on(value, here));
        }
        let share = here.and_then(|here| here.share);
        match (name, share) {
            ("cores", _) => {
                self.cores.map(|cores| cores as i64).ok_or_else(|| early(name, "cores are known"))
            }
            ("start", Some((start, _))) => Ok(i64::from(start)),
            ("count", Some((_, count))) => Ok(i64::from(count)),
            ("start" | "count", None) => Err(per_core(name, self.program.split.is_none())),
            _ => {
                let own = OWN_NAMES.iter().map(|(name, _)| *name);
                Err(unknown(name, own.chain(values.keys().map(|key| key.value.as_str()))))
            }
        }
    }

    /// Follows a name to its own expression; one that leads back to itself would never end.
    fn nested<Value>(
        &self,
        key: &At<String>,
        follow: impl FnOnce() -> Result<Value, Problem>,
    ) -> Result<Value, Unknown> {
        let names = self.document.values.len() + self.document.tensors.len();
        if self.depth.get() > names {
            let message = format!("`{}` depends on itself", key.value);
            return Err(Unknown::Invalid(Problem::new(key.span.clone(), message)));
        }
        self.depth.set(self.depth.get() + 1);
        let value = follow();
        self.depth.set(self.depth.get() - 1);
        value.map_err(Unknown::Invalid)
    }

    fn tensor(&self, name: &str, what: &str) -> Meaning {
        let tensors = &self.document.tensors;
        let Some((key, tensor)) = tensors.iter().find(|(key, _)| key.value == name) else {
            let names = tensors.keys().map(|key| key.value.as_str());
            return Err(unknown_part("tensor", name, names));
        };
        let shape = self.nested(key, || self.shape(key, tensor))?;
        let paging = Paging::new(&shape, tensor.layout.into(), tensor.format.into());
        let pages = |of: fn(&Paging) -> usize| paging.as_ref().map_or(0, of);
        let count = match what {
            "rows" => shape.sticks(),
            "columns" => shape.width(),
            "matrices" => shape.matrices(),
            "matrix_rows" => shape.height(),
            "tiles" => shape.tiles(),
            "tile_rows" => shape.matrices() * shape.tile_rows(),
            "tile_columns" => shape.tile_columns(),
            "matrix_tile_rows" => shape.tile_rows(),
            // Blocks that are not tiled have no pages; that is reported where the tensor is placed.
            "pages" => pages(|paging| paging.pages),
            "page_bytes" => pages(|paging| paging.page_bytes),
            // Zero for a tensor that could not be placed, as reported there.
            "address" => {
                self.uses(name);
                self.placed.get(name).map_or(0, |it| it.buffer.address_word() as usize)
            }
            "accessor" => {
                let message = "an accessor is several words".to_owned();
                let help = "write it as an entry of `compile_time_args` on its own".to_owned();
                return Err(Unknown::Name { message, help: Some(help) });
            }
            _ => {
                return Err(unknown_part(
                    &format!("tensor.{name}"),
                    what,
                    TENSOR_NAMES.map(|it| it.0),
                ));
            }
        };
        Ok(count as i64)
    }

    /// The shape of a tensor: as declared, or its file's.
    pub(super) fn shape(
        &self,
        key: &At<String>,
        tensor: &document::Tensor,
    ) -> Result<Shape, Problem> {
        let Some(sizes) = &tensor.shape else {
            let file = self.files.get(&key.value).map(|file| *file.shape());
            return file.ok_or_else(|| {
                Problem::new(key.span.clone(), format!("tensor `{}` has no `shape`", key.value))
                    .help("give its sizes, such as shape = [64, 96]")
            });
        };
        let size = |size| self.in_range(size, "a size", 1..=i64::from(u32::MAX));
        let numbers = sizes.value.iter().map(size).collect::<Result<Vec<u32>, Problem>>()?;
        let numbers: Vec<usize> = numbers.iter().map(|size| *size as usize).collect();
        Shape::new(&numbers).map_err(|error| Problem::new(sizes.span.clone(), error.to_string()))
    }

    fn buffer(&self, name: &str, what: &str) -> Meaning {
        let buffers = &self.program.buffers;
        let Some((_, buffer)) = buffers.iter().find(|(key, _)| key.value == name) else {
            return Err(unknown_part("buffer", name, buffers.keys().map(|key| key.value.as_str())));
        };
        let number = |given| self.number(given).map_err(Unknown::Invalid);
        match (what, &buffer.page_bytes) {
            ("index", _) => number(&buffer.index),
            ("pages", _) => number(&buffer.pages),
            ("page_bytes", Some(bytes)) => number(bytes),
            ("page_bytes", None) => {
                Ok(tilewright_tile::DataFormat::from(buffer.format).tile_bytes() as i64)
            }
            _ => Err(unknown_part(&format!("buffer.{name}"), what, BUFFER_NAMES)),
        }
    }

    fn semaphore(&self, name: &str) -> Meaning {
        let semaphores = in_order(&self.program.semaphores);
        let found = semaphores.iter().position(|(key, _)| key.value == name);
        let names = semaphores.iter().map(|(key, _)| key.value.as_str());
        found.map(|id| id as i64).ok_or_else(|| unknown_part("semaphore", name, names))
    }

    fn split(&self, what: &str) -> Meaning {
        let Some(work) = self.work.as_ref().filter(|work| work.is_split) else {
            return Err(early(&format!("split.{what}"), "work is split"));
        };
        match what {
            "units" => Ok(work.units().into()),
            "cores" => Ok(work.shares.len() as i64),
            "count_1" => Ok(work.group_count(0).into()),
            "count_2" => Ok(work.group_count(work.first_group).into()),
            _ => Err(unknown_part("split", what, SPLIT_NAMES)),
        }
    }
}

/// Named tables in the order in which they stand in the manifest.
pub(super) fn in_order<Table>(named: &document::Named<Table>) -> Vec<(&At<String>, &Table)> {
    let mut tables: Vec<_> = named.iter().collect();
    tables.sort_by_key(|(key, _)| key.span.start);
    tables
}

fn core(what: &str, here: Option<Here>) -> Meaning {
    let Some(here) = here else { return Err(per_core(&format!("core.{what}"), false)) };
    match what {
        "index" => Ok(here.index as i64),
        "x" => Ok(here.core.x.into()),
        "y" => Ok(here.core.y.into()),
        _ => Err(unknown_part("core", what, CORE_NAMES)),
    }
}

fn per_core(name: &str, is_unsplit: bool) -> Unknown {
    let help = if is_unsplit {
        "say how work is dealt out: split = { units = \"…\" }"
    } else {
        "it differs from core to core: use it in `args`"
    };
    Unknown::Name { message: format!("`{name}` is not known here"), help: Some(help.to_owned()) }
}

fn early(name: &str, until: &str) -> Unknown {
    let message = format!("`{name}` is not known before {until}");
    Unknown::Name { message, help: None }
}

fn unknown<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Unknown {
    let known: Vec<&str> = known.into_iter().collect();
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    Unknown::Name { message: format!("unknown name `{name}`"), help: Some(help) }
}

fn unknown_part<'n>(what: &str, name: &str, known: impl IntoIterator<Item = &'n str>) -> Unknown {
    match unknown(name, known) {
        Unknown::Name { help, .. } => {
            let help = help.filter(|help| help != "known: ");
            Unknown::Name { message: format!("unknown name `{name}` in `{what}`"), help }
        }
        invalid @ Unknown::Invalid(_) => invalid,
    }
}
