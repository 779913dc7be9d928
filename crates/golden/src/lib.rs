//! Golden data: whether the simulated machine gives the bits that the hardware gives.
//!
//! Cases run on the machine, through the kernel API, on all three compute processors; tables of
//! single instructions go to the lane functions of `tile`. Nothing is compared with a tolerance.

mod calls;
mod case;
mod chain;
mod chips;
mod folder;
mod function_case;
mod kernel;
mod run;
mod script;
mod sequence_case;
mod table;
mod tile_case;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

pub use folder::{Folder, FolderError};

use case::{ArrayRef, Arrays, Case, ChainCase, Kind, Refusal, TileCase, word};
use folder::Group;
use run::Finished;
use script::{OUT, OUT32};
use tilewright_tile::{Chip, DstWidth, TILE_VALUES};

/// How far a check has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Cases checked.
    pub done: usize,
    /// Cases there are.
    pub total: usize,
    /// Cases that failed so far.
    pub failed: usize,
}

/// What a check found. The same for any number of host threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Cases that gave every bit.
    pub passed: usize,
    /// The others, one entry each, in the order of the files.
    pub failed: Vec<Mismatch>,
    /// The counts of each group.
    pub groups: Vec<GroupCount>,
    /// Whole kernels in the folder, which this check does not run.
    pub kernels_not_checked: usize,
}

/// What a check comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conformance {
    /// There are cases, and every one gave every bit.
    Full,
    /// There is no case that the check runs.
    Unjudged,
    /// At least one case did not.
    Broken,
}

impl Summary {
    /// What it comes to.
    pub fn conformance(&self) -> Conformance {
        match (self.passed, self.failed.len()) {
            (0, 0) => Conformance::Unjudged,
            (_, 0) => Conformance::Full,
            (_, _) => Conformance::Broken,
        }
    }
}

/// How many cases of a group passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupCount {
    /// The group: the name of its file.
    pub name: String,
    /// Cases that gave every bit.
    pub passed: usize,
    /// Cases that did not.
    pub failed: usize,
}

/// How a case failed: the first value that differs, or why there is none to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The group that the case is in.
    pub group: String,
    /// The case.
    pub case: String,
    /// The field of the case; for a table, the column.
    pub field: String,
    /// The value, counted through all arrays of the field; for a table, the row.
    pub index: usize,
    /// The bits in the golden data.
    pub wanted_bits: u32,
    /// The bits that came out.
    pub got_bits: u32,
    /// How many values of the field differ.
    pub differences: usize,
    /// Why nothing could be compared; then the numbers are zero.
    pub refusal: Option<String>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { case, field, index, wanted_bits, got_bits, differences, .. } = self;
        match &self.refusal {
            Some(why) if field.is_empty() => write!(f, "{case}: {why}"),
            Some(why) => write!(f, "{case}: `{field}`: {why}"),
            None => write!(
                f,
                "{case}: `{field}` value {index} is {got_bits:#x}, wanted {wanted_bits:#x}; \
                 {differences} in all differ"
            ),
        }
    }
}

impl Folder {
    /// Checks every case, on all host threads, and tells of each one as it ends.
    pub fn check(&self, mut progress: impl FnMut(Progress)) -> Summary {
        let cases: Vec<(&Group, &Case)> = self
            .groups
            .iter()
            .flat_map(|group| group.cases.iter().map(move |case| (group, case)))
            .collect();
        let mut failed: Vec<(usize, Mismatch)> = Vec::new();
        let mut done = 0;
        on_all_threads(
            &cases,
            |(group, case)| check(group, case).err(),
            |place, mismatch| {
                failed.extend(mismatch.map(|mismatch| (place, mismatch)));
                done += 1;
                progress(Progress { done, total: cases.len(), failed: failed.len() });
            },
        );
        failed.sort_by_key(|(place, _)| *place);
        self.summary(failed)
    }

    /// Counts by group; a failed case comes with its place among all cases.
    fn summary(&self, failed: Vec<(usize, Mismatch)>) -> Summary {
        let mut groups = Vec::new();
        let mut first = 0;
        for group in &self.groups {
            let places = first..first + group.cases.len();
            let failed = failed.iter().filter(|(place, _)| places.contains(place)).count();
            let (name, passed) = (group.name.clone(), group.cases.len() - failed);
            groups.push(GroupCount { name, passed, failed });
            first = places.end;
        }
        Summary {
            passed: groups.iter().map(|group| group.passed).sum(),
            failed: failed.into_iter().map(|(_, mismatch)| mismatch).collect(),
            groups,
            kernels_not_checked: self.kernels,
        }
    }
}

/// Does the same with every item, on all host threads, and hands over each result with its item's
/// place as it comes.
fn on_all_threads<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(usize, R),
) {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (results, told) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            let (next, work, results) = (&next, &work, results.clone());
            scope.spawn(move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(place) else { break };
                    let result = (place, work(item));
                    results.send(result).expect("the receiver outlives the scope");
                }
            });
        }
        drop(results);
        told.iter().for_each(|(place, result)| take(place, result));
    });
}

/// Checks one case.
fn check(group: &Group, case: &Case) -> Result<(), Mismatch> {
    let checked = match &case.kind {
        Kind::Tile(tile) => check_tile(case.chip, tile, &group.arrays),
        Kind::Chain(chain) => check_chain(case.chip, chain, &group.arrays),
        Kind::Table(table) => table::check(table, &group.arrays).map(|found| {
            found.map(|(difference, differences)| Difference {
                field: table.columns.get(difference.column).cloned().unwrap_or_default(),
                index: difference.row,
                wanted: difference.wanted,
                got: difference.got,
                differences,
            })
        }),
    };
    let (difference, refusal) = match checked {
        Ok(None) => return Ok(()),
        Ok(Some(difference)) => (difference, None),
        Err(Refusal { field, why }) => (Difference { field, ..Difference::default() }, Some(why)),
    };
    Err(Mismatch {
        group: group.name.clone(),
        case: case.id.clone(),
        field: difference.field,
        index: difference.index,
        wanted_bits: difference.wanted,
        got_bits: difference.got,
        differences: difference.differences,
        refusal,
    })
}

/// The first value of a field that differs.
#[derive(Default)]
struct Difference {
    field: String,
    index: usize,
    wanted: u32,
    got: u32,
    differences: usize,
}

fn check_tile(chip: Chip, case: &TileCase, arrays: &Arrays) -> Result<Option<Difference>, Refusal> {
    let finished = run::run(chip, tile_case::script(case, arrays)?)?;
    // A section of its own for each tile leaves no Dst to compare for `tilize`.
    if case.op != "tilize" {
        let found = check_dst(case, arrays, &finished)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    compare("out", &case.out, arrays, &finished.outputs(), |_| true)
}

fn check_dst(
    case: &TileCase,
    arrays: &Arrays,
    finished: &Finished,
) -> Result<Option<Difference>, Refusal> {
    let mut dst = Vec::new();
    for place in 0..case.dst_out.len() {
        let Some(lanes) = finished.dst(place) else {
            return Err(Refusal::new("dst_out", "has more tiles than a section of Dst"));
        };
        match case.dest.width() {
            DstWidth::Bits16 => lanes.iter().for_each(|lane| dst.extend(&lane.to_le_bytes()[2..])),
            DstWidth::Bits32 => lanes.iter().for_each(|lane| dst.extend(lane.to_le_bytes())),
        }
    }
    compare("dst_out", &case.dst_out, arrays, &dst, tile_case::meaningful(case)?)
}

fn check_chain(
    chip: Chip,
    case: &ChainCase,
    arrays: &Arrays,
) -> Result<Option<Difference>, Refusal> {
    let finished = run::run(chip, chain::script(case, arrays)?)?;
    let found = compare("out", &case.out, arrays, finished.buffer(OUT), |_| true)?;
    if found.is_some() || case.out32.is_empty() {
        return Ok(found);
    }
    compare("out32", &case.out32, arrays, finished.buffer(OUT32), |_| true)
}

/// Compares all arrays of a field with the bytes that came out; `meaningful` says where in a tile.
fn compare(
    field: &str,
    wanted: &[ArrayRef],
    arrays: &Arrays,
    got: &[u8],
    meaningful: fn(usize) -> bool,
) -> Result<Option<Difference>, Refusal> {
    let bytes: usize = wanted.iter().map(|array| arrays.bytes(array).len()).sum();
    if bytes != got.len() {
        let why = format!("has {bytes} bytes, and {} came out", got.len());
        return Err(Refusal::new(field, why));
    }
    let wanted = wanted
        .iter()
        .flat_map(|array| arrays.elements(array).into_iter().map(|bits| (bits, array.t.bytes())));
    let mut found: Option<Difference> = None;
    let mut at = 0;
    for (index, (wanted, size)) in wanted.enumerate() {
        let got = word(&got[at..at + size]);
        if wanted != got && meaningful(index % TILE_VALUES) {
            let first = Difference { field: field.to_owned(), index, wanted, got, differences: 0 };
            found.get_or_insert(first).differences += 1;
        }
        at += size;
    }
    Ok(found)
}
