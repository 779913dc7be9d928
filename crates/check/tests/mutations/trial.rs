//! One change to one operation, and what came of it.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use tilewright_check::{Session, Tools};
use tilewright_machine::{Change, Edit, EventKind, Observer, Site};
use tilewright_metal::{Device, Ending, Event, Family, Prepared, Program, RunOptions};
use tilewright_ops::{Request, find, judge};
use tilewright_tile::DataFormat;

/// An operation on one of its paths.
#[derive(Clone, Copy)]
pub struct Case {
    pub operation: &'static str,
    pub path: &'static str,
    pub shape: &'static str,
    pub cores: u32,
}

/// Who noticed a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// Findings, the first of them named.
    Finding(String),
    /// The outputs are beyond their bounds, and nothing was found.
    Bound,
    /// Nobody.
    Neither,
}

impl Noticed {
    pub fn name(&self) -> &'static str {
        match self {
            Noticed::Finding(_) => "by a finding",
            Noticed::Bound => "by a bound",
            Noticed::Neither => "by neither",
        }
    }
}

/// One change and who noticed it.
pub struct Trial {
    pub case: &'static str,
    pub path: &'static str,
    /// The source line, or the part of the program.
    pub line: String,
    pub place: String,
    pub change: String,
    pub noticed: Noticed,
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Trial { case, path, line, place, change, noticed } = self;
        write!(f, "{case} {path}: {change}: `{line}` ({place}): {noticed:?}")
    }
}

/// A change to a program or to what its kernels do.
enum Mutation {
    Call(Edit),
    Ring { cb: u8, pages: u32, page_bytes: u32 },
    Argument { kernel: String, index: usize, by: i32 },
}

/// The places of a run's calls, with the changes that make sense there.
#[derive(Default)]
struct Places {
    calls: BTreeMap<Site, Vec<Change>>,
    /// The most pages of each buffer that anyone waits for at once.
    asked: BTreeMap<u8, u32>,
}

impl Observer for Places {
    fn event(&mut self, event: &Event) {
        if let EventKind::Reserved { cb, pages } | EventKind::Waited { cb, pages } = event.kind {
            let asked = self.asked.entry(cb.0).or_default();
            *asked = (*asked).max(pages);
        }
        let changes: &[Change] = match event.kind {
            // To reserve more than is needed is no mistake as long as the ring has it.
            EventKind::Reserved { .. } => &[Change::Skip, Change::Pages(-1)],
            EventKind::Pushed { .. } | EventKind::Waited { .. } | EventKind::Popped { .. } => {
                &[Change::Skip, Change::Pages(1), Change::Pages(-1)]
            }
            EventKind::Computed { .. } | EventKind::Vectored { .. } => {
                &[Change::Skip, Change::Dst(1)]
            }
            EventKind::Packed { .. } => &[Change::Skip, Change::Dst(1)],
            EventKind::Unpacked { .. } => &[Change::Tile(1)],
            EventKind::Configured(_)
            | EventKind::StartedUp
            | EventKind::StartupRepeated
            | EventKind::PointerMoved { .. }
            | EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | EventKind::DstReleased
            | EventKind::ReadIssued { .. }
            | EventKind::WriteIssued { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::BarrierPassed { .. }
            | EventKind::SemaphoreSet { .. }
            | EventKind::SemaphoreWaited { .. }
            | EventKind::L1Written { .. } => &[Change::Skip],
            _ => return,
        };
        let place = self.calls.entry(event.site).or_default();
        for change in changes {
            if !place.contains(change) {
                place.push(*change);
            }
        }
    }
}

/// A case on one family of inputs, prepared once for all changes.
struct Ready {
    device: Mutex<Device>,
    prepared: Prepared,
}

impl Ready {
    fn new(case: Case, family: Family) -> Ready {
        let (device, mut prepared) = case.prepare(family);
        for output in &mut prepared.outputs {
            let (reference, known) = (Arc::clone(&output.reference), OnceLock::new());
            output.reference = Arc::new(move || known.get_or_init(|| reference()).clone());
        }
        Ready { device: Mutex::new(device), prepared }
    }

    /// A device and programs of one's own.
    fn copy(&self) -> (Device, Prepared) {
        let device = self.device.lock().expect("nothing panics while it is locked");
        (device.copy_of_buffers(), self.prepared.clone())
    }
}

impl Case {
    /// Every change there is, tried.
    pub fn trials(self) -> Vec<Trial> {
        let ready = [Family::Uniform, Family::Constant].map(|family| Ready::new(self, family));
        let mutations = self.mutations(&ready[0]);
        let next = AtomicUsize::new(0);
        let trials = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some((index, mutation)) = mutations.get(place) else { break };
                        let trial = self.attempt(&ready, *index, mutation);
                        trials
                            .lock()
                            .expect("nothing panics while it is locked")
                            .push((place, trial));
                    }
                });
            }
        });
        let mut trials = trials.into_inner().expect("nothing panics while it is locked");
        trials.sort_by_key(|(place, _)| *place);
        trials.into_iter().map(|(_, trial)| trial).collect()
    }

    /// Every change that makes sense in a run without one.
    fn mutations(self, ready: &Ready) -> Vec<(usize, Mutation)> {
        let (mut device, prepared) = ready.copy();
        let mut places = Places::default();
        let mut mutations: Vec<(usize, Mutation)> = Vec::new();
        for (index, program) in prepared.programs.iter().enumerate() {
            let outcome = program.run(&mut device, OPTIONS, &mut [&mut places]).expect("stacks");
            assert_eq!(outcome.ending, Ending::Completed);
            let Places { calls, asked } = std::mem::take(&mut places);
            let calls = calls.into_iter().flat_map(|(site, changes)| {
                changes.into_iter().map(move |change| Mutation::Call(Edit { site, change }))
            });
            mutations.extend(calls.chain(of_program(program, &asked)).map(|it| (index, it)));
        }
        mutations
    }

    fn prepare(self, family: Family) -> (Device, Prepared) {
        let operation = find(self.operation).expect("an operation");
        let mut request = Request::new(self.shape.parse().expect("a shape"), DataFormat::Bfloat16);
        request.settings = operation.settings(request.format);
        request.cores = self.cores;
        request.family = family;
        request.padding = 3.5;
        request.choices.insert("path".to_owned(), self.path.to_owned());
        let mut device = Device::n150();
        let prepared = operation.prepare(&mut device, &request).expect("a request that fits");
        (device, prepared)
    }

    /// Tries a change on noise, and if nobody notices, on equal values, whose variance is zero.
    fn attempt(self, [noise, equal]: &[Ready; 2], index: usize, mutation: &Mutation) -> Trial {
        let trial = self.attempt_on(noise, index, mutation);
        match trial.noticed {
            Noticed::Neither => self.attempt_on(equal, index, mutation),
            Noticed::Finding(_) | Noticed::Bound => trial,
        }
    }

    fn attempt_on(self, ready: &Ready, index: usize, mutation: &Mutation) -> Trial {
        let (mut device, mut prepared) = ready.copy();
        let mut edits = vec![None; prepared.programs.len()];
        let program = &mut prepared.programs[index];
        let (line, place, change) = mutation.tell(program);
        match mutation {
            Mutation::Call(edit) => edits[index] = Some(*edit),
            Mutation::Ring { cb, pages, page_bytes } => {
                *program = program.with_ring(*cb, *pages, *page_bytes);
            }
            Mutation::Argument { kernel, index, by } => {
                let changed = |value: u32| value.saturating_add_signed(*by);
                *program = program.with_runtime_arg(kernel, *index, changed);
            }
        }
        let noticed = noticed(&mut device, &prepared, &edits);
        Trial { case: self.operation, path: self.path, line, place, change, noticed }
    }
}

/// Loops that a change makes endless, and waits that it makes useless, end soon.
const OPTIONS: RunOptions = RunOptions { cycle_limit: 1 << 22, ..RunOptions::USUAL };

/// A page too few, a smaller page, one unit of work more and one less.
fn of_program(program: &Program, asked: &BTreeMap<u8, u32>) -> Vec<Mutation> {
    let mut mutations = Vec::new();
    for spec in program.circular_buffers().iter().flat_map(|buffer| &buffer.specs) {
        let (cb, pages, page_bytes) = (spec.id, spec.pages, spec.page_bytes);
        if let Some(most @ 2..) = asked.get(&cb).copied() {
            mutations.push(Mutation::Ring { cb, pages: most - 1, page_bytes });
        }
        let page_bytes = (page_bytes / 2).next_multiple_of(16);
        mutations.push(Mutation::Ring { cb, pages, page_bytes });
    }
    for (kernel, count) in program.runtime_arg_counts() {
        for index in 0..count {
            for by in [1, -1] {
                mutations.push(Mutation::Argument { kernel: kernel.to_owned(), index, by });
            }
        }
    }
    mutations
}

fn noticed(device: &mut Device, prepared: &Prepared, edits: &[Option<Edit>]) -> Noticed {
    for (program, edit) in prepared.programs.iter().zip(edits) {
        let mut session = Session::new(program, &Tools::all());
        let options = RunOptions { edit: *edit, ..OPTIONS };
        let outcome = program.run(device, options, &mut [&mut session]).expect("stacks");
        if let Some(first) = session.findings(program, &outcome).first() {
            return Noticed::Finding(first.id.to_string());
        }
        assert_eq!(outcome.ending, Ending::Completed, "another ending is a finding");
    }
    let judged = judge::outputs(prepared, device).expect("outputs");
    let is_right = judged.iter().all(|(_, judgement)| judgement.in_bound);
    if is_right { Noticed::Neither } else { Noticed::Bound }
}

impl Mutation {
    /// The line or part that it changes, where that is, and what is changed.
    fn tell(&self, program: &Program) -> (String, String, String) {
        match self {
            Mutation::Call(edit) => {
                let file = edit.site.file.rsplit_once("src/").map_or(edit.site.file, |it| it.1);
                let place = format!("{file}:{}:{}", edit.site.line, edit.site.column);
                (source_line(edit.site), place, format!("{:?}", edit.change))
            }
            Mutation::Ring { cb, pages, page_bytes } => {
                let specs = program.circular_buffers().iter().flat_map(|buffer| &buffer.specs);
                let spec = specs.into_iter().find(|spec| spec.id == *cb).expect("declared");
                let change = if *pages == spec.pages {
                    format!("page of {page_bytes} bytes")
                } else {
                    format!("{pages} pages instead of {}", spec.pages)
                };
                (spec.name.clone(), "buffer".to_owned(), change)
            }
            Mutation::Argument { kernel, index, by } => {
                (format!("{kernel} argument {index}"), "program".to_owned(), format!("{by:+}"))
            }
        }
    }
}

fn source_line(site: Site) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(site.file)).unwrap_or_default();
    text.lines().nth(site.line as usize - 1).unwrap_or_default().trim().to_owned()
}
