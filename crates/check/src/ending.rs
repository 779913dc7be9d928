//! How a run ended, as findings: what stopped it, or who waits for what when no processor can make
//! progress.
//!
//! Says what is known at the end of a run. It does not look for the cause behind it.

use std::collections::BTreeSet;

use tilewright_machine::{
    Activity, Barrier, Called, CbId, CbLedger, CoreCoord, CoreState, Cycle, Ending, NocAddress,
    NocId, Outcome, PackMode, Polled, Processor, ProcessorId, ProcessorState, STACK_OVERFLOW,
    SemaphoreTest, Site, SourceId, Stop, StopReason, Turn, UnpackOperation, Unset, Waiting,
};
use tilewright_metal::Program;

use crate::FindingId;
use crate::finding::{Blame, Finding, Mark, line_of};
use crate::format;

/// The findings of a run that stopped or got stuck; none for one that completed or was paused.
pub fn findings(program: &Program, outcome: &Outcome) -> Vec<Finding> {
    match &outcome.ending {
        Ending::Completed | Ending::Paused(_) => Vec::new(),
        Ending::Stuck => deadlocks(program, outcome),
        Ending::Stopped(stops) => stopped(program, outcome, stops),
    }
}

/// One finding for each line and kind of stop, the earliest first.
fn stopped(program: &Program, outcome: &Outcome, stops: &[Stop]) -> Vec<Finding> {
    let mut found: Vec<(Site, Processor, Finding)> = Vec::new();
    for stop in stops {
        let finding = stop_finding(program, outcome, stop);
        let (site, processor) = (finding.marks[0].site, stop.processor.processor);
        let same = found.iter_mut().find(|(other_site, other, earlier)| {
            other_site.is_at(&site) && (*other, earlier.id) == (processor, finding.id)
        });
        match same {
            Some((_, _, earlier)) => earlier.count += 1,
            None => found.push((site, processor, finding)),
        }
    }
    found.into_iter().map(|(_, _, finding)| finding).collect()
}

fn stop_finding(program: &Program, outcome: &Outcome, stop: &Stop) -> Finding {
    let core = stop.processor.core;
    let who = format!("{} on core {core}", stop.processor.processor);
    let StopReport { id, blame, title, role, facts, help } = tell(program, stop, &who);
    let panicked = if let StopReason::Panic(panic) = &stop.reason { panic.site } else { None };
    let site = panicked.unwrap_or(stop.site);
    let mut facts = facts;
    if let StopReason::Livelock { .. } = stop.reason {
        facts.extend(waiting_behind(program, outcome, core));
    }
    Finding {
        title,
        marks: vec![Mark { role, site, processor: Some(stop.processor) }],
        facts,
        help,
        blame,
        ..Finding::of(id)
    }
    .at(stop.cycle)
}

/// What there is to say of one stop.
struct StopReport {
    id: FindingId,
    blame: Blame,
    title: String,
    role: String,
    facts: Vec<String>,
    help: Option<String>,
}

impl StopReport {
    fn new(id: FindingId, title: String, role: impl Into<String>) -> StopReport {
        let (blame, role) = (id.blame(), role.into());
        StopReport { id, blame, title, role, facts: Vec::new(), help: None }
    }

    fn fact(mut self, fact: String) -> StopReport {
        self.facts.push(fact);
        self
    }

    fn blame(mut self, blame: Blame) -> StopReport {
        self.blame = blame;
        self
    }

    fn help(mut self, help: impl Into<String>) -> StopReport {
        self.help = Some(help.into());
        self
    }
}

fn tell(program: &Program, stop: &Stop, who: &str) -> StopReport {
    match &stop.reason {
        StopReason::Panic(panic) => {
            let role = format!("panicked: {}", first_line(&panic.message));
            StopReport::new(FindingId::KernelPanic, format!("the kernel of {who} panicked"), role)
        }
        StopReason::Unconfigured(unset) => unconfigured(*unset, who),
        StopReason::Uninitialised(called) => uninitialised(program, stop, *called, who),
        StopReason::OtherUnpack { configured, called } => {
            let words = [*configured, *called].map(format::unpack_words);
            wrong_init(who, words, &format::inits::unpack(*called, ["INPUT", "INPUT"]), stop.site)
        }
        StopReason::OtherPack { configured } => other_pack(who, *configured, stop.site),
        StopReason::NoSuchBuffer(cb) => no_such_buffer(program, stop.processor.core, *cb, who),
        StopReason::OutsideL1 { at, bytes, l1_bytes } => {
            let title = format!("{who} reaches beyond the end of L1");
            let role = format!("{bytes} bytes from address {:#x}", at.0);
            StopReport::new(FindingId::OutOfBounds, title, role)
                .fact(format!("proof: L1 ends at {l1_bytes:#x}"))
        }
        StopReason::NoSuchPlace { at, bytes } => {
            let title = format!("{who} transfers from or to a place that holds no data");
            StopReport::new(FindingId::OutOfBounds, title, format!("{bytes} bytes, {}", place(*at)))
                .help("use addresses of a buffer that the host has allocated")
        }
        StopReason::Misaligned { local, remote, alignment } => {
            let title = format!("{who} transfers between addresses that differ modulo {alignment}");
            let role = format!("{:#x} in L1, {}", local.0, place(*remote));
            StopReport::new(FindingId::Misaligned, title, role)
                .fact(format!("proof: the two addresses must be equal modulo {alignment}"))
        }
        StopReason::NoSuchArgument { name, given } => {
            let title = format!("the kernel of {who} reads an argument that it was not given");
            StopReport::new(FindingId::NoSuchArgument, title, format!("reads {name}"))
                .fact(format!("proof: it was given {given}"))
                .help("give the argument on the host, or read one that is there")
        }
        StopReason::NotModelled(what) => {
            let title = format!("{who} uses an unmodelled feature");
            StopReport::new(FindingId::NotModelled, title, first_line(what))
        }
        StopReason::Livelock { calls, polled } => livelock(*calls, *polled, who),
        StopReason::Crashed(what) => crashed(what, who),
        StopReason::EndlessLoop(steps) => never_ends(*steps, who),
        StopReason::AssertFailed(condition) => {
            let title = format!("an assertion of {who} does not hold");
            let role = format!("asserts `{}`", first_line(condition));
            StopReport::new(FindingId::AssertFailed, title, role)
        }
        StopReason::ForeignL1 { owner, at, bytes } => {
            let title = format!("{who} uses a pointer to another core's L1");
            let role = format!("{bytes} bytes at {:#x} of core {owner}", at.0);
            StopReport::new(FindingId::OutOfBounds, title, role)
                .help("reach other cores over the network, with `get_noc_addr`")
        }
        StopReason::CycleLimit(limit) => {
            let title = format!("{who} still ran after {limit} cycles");
            StopReport::new(FindingId::CycleLimit, title, "was here")
                .help("allow more cycles if the program may need them")
        }
    }
}

fn crashed(what: &str, who: &str) -> StopReport {
    let title = format!("the kernel of {who} crashed");
    let told = StopReport::new(FindingId::KernelCrash, title, first_line(what));
    if what != STACK_OVERFLOW {
        return told;
    }
    told.help("do not recurse without end, and keep large arrays out of the kernel's frames")
}

fn livelock(calls: u64, polled: Option<Polled>, who: &str) -> StopReport {
    let title = format!("{who} makes no progress");
    let role = match polled {
        Some(Polled { at, bytes, word: Some(word) }) => {
            let bytes = count_of(bytes.into(), "byte");
            format!("reads {bytes} at {:#x}, again and again; the word there is {word}", at.0)
        }
        Some(Polled { at, .. }) => format!("reads {:#x}, again and again", at.0),
        None => "the last of these calls".to_owned(),
    };
    let calls = Cycle(calls);
    StopReport::new(FindingId::Livelock, title, role)
        .fact(format!(
            "proof: {calls} calls, no change on any core meanwhile, and no transfer under way"
        ))
        .help("find out who should change what it looks at; or give a larger `--step-budget`")
}

/// Who on a core waits while another processor of it only asks.
fn waiting_behind(program: &Program, outcome: &Outcome, core: CoreCoord) -> Option<String> {
    let core = outcome.cores.iter().find(|state| state.core == core)?;
    let waits: Vec<String> = blocked(core)
        .map(|(state, waiting)| format!("{} {}", state.id.processor, waits(program, core, waiting)))
        .collect();
    (!waits.is_empty()).then(|| format!("meanwhile: {}", waits.join("; ")))
}

/// A kernel that has not come back from its turn, found by the watchdog, which has a clock.
pub fn endless_loop(turn: &Turn, proof: String) -> Finding {
    let ProcessorId { core, processor } = turn.processor;
    let id = FindingId::EndlessLoop;
    let role = match turn.site == Site::KERNEL {
        true => "it has made no call yet".to_owned(),
        false => "the last call that it made".to_owned(),
    };
    Finding {
        title: format!("the kernel of {processor} on core {core} loops without a call"),
        marks: vec![Mark { role, site: turn.site, processor: Some(turn.processor) }],
        facts: vec![format!("proof: {proof}")],
        help: Some("look at the loop after that call: what should end it?".to_owned()),
        ..Finding::of(id)
    }
}

fn never_ends(steps: u64, who: &str) -> StopReport {
    let title = format!("the kernel of {who} does not terminate");
    StopReport::new(FindingId::EndlessLoop, title, "was here")
        .fact(format!("proof: {steps} blocks of code ran without a call that takes time"))
        .help("wait with a call of the kernel API, or let the loop end")
}

fn unconfigured(unset: Unset, who: &str) -> StopReport {
    let title = format!("{who} needs {unset}, which nothing has set");
    StopReport::new(FindingId::MissingStartup, title, "needed here").help(
        "call `compute_kernel_hw_startup(INPUT, INPUT, OUTPUT)` before any other compute operation",
    )
}

/// An operation before any init call: the init that it needs.
fn uninitialised(program: &Program, stop: &Stop, called: Called, who: &str) -> StopReport {
    let title = format!("{who} needs {}, which nothing has set", called.unset());
    let init = match called {
        Called::Unpack(operation, buffers) => {
            let names = buffers.map(|cb| {
                cb.map_or_else(|| "INPUT".to_owned(), |cb| name(program, stop.processor.core, cb))
            });
            format::inits::unpack(operation, [&names[0], &names[1]])
        }
        Called::Math(operation) => format::inits::math(operation, ["INPUT", "INPUT"]),
        Called::Vector(operation) => operation.declared().init_call.to_owned(),
    };
    let such = match called {
        Called::Unpack(UnpackOperation::Both, _) => "the operation's init, such as ",
        Called::Unpack(..) | Called::Math(_) | Called::Vector(_) => "",
    };
    StopReport::new(FindingId::MissingInit, title, "needed here")
        .help(format!("call {such}`{init}` before {}", line_of(stop.site)))
}

/// A call of which silicon cannot know what to do.
fn wrong_init(who: &str, [set, called]: [String; 2], init: &str, site: Site) -> StopReport {
    let title = format!("{who} is set for {set}, called for {called}");
    StopReport::new(FindingId::WrongInit, title, "called here")
        .fact("the run ends here: what silicon would do is not known".to_owned())
        .help(format!("call `{init}` before {}", line_of(site)))
}

/// A call of pack that is set for the other way to walk.
fn other_pack(who: &str, configured: PackMode, site: Site) -> StopReport {
    let [tiles, rows] = ["whole tiles".to_owned(), "untilize".to_owned()];
    match configured {
        PackMode::Tile => {
            wrong_init(who, [tiles, rows], "pack_untilize_dest_init<TILES>(OUTPUT)", site)
        }
        PackMode::Untilize { .. } => {
            wrong_init(who, [rows, tiles], "pack_untilize_uninit(OUTPUT)", site)
        }
    }
}

fn no_such_buffer(program: &Program, core: CoreCoord, cb: CbId, who: &str) -> StopReport {
    let here: Vec<String> = program
        .placed_buffers(core)
        .iter()
        .map(|buffer| format!("`{}` ({})", name(program, core, buffer.id), buffer.id))
        .collect();
    let there = if here.is_empty() { "none".to_owned() } else { here.join(", ") };
    let title = format!("{who} uses buffer {cb}, which the program does not have there");
    let is_elsewhere = program
        .circular_buffers()
        .iter()
        .any(|buffer| buffer.specs.iter().any(|spec| spec.id == cb.0));
    StopReport::new(FindingId::NoSuchBuffer, title, "used here")
        .blame(if is_elsewhere { Blame::HostBug } else { Blame::KernelBug })
        .fact(format!("proof: the buffers of core {core}: {there}"))
        .help("declare the buffer on this core, or use one that is there")
}

/// One finding for each way in which cores are stuck, with every blocked processor of the first.
fn deadlocks(program: &Program, outcome: &Outcome) -> Vec<Finding> {
    let mut ways: Vec<(Way, &CoreState, usize)> = Vec::new();
    for core in &outcome.cores {
        let way = way(core);
        if way.is_empty() {
            continue;
        }
        match ways.iter_mut().find(|(other, ..)| *other == way) {
            Some((_, _, count)) => *count += 1,
            None => ways.push((way, core, 1)),
        }
    }
    ways.iter().map(|(_, core, count)| deadlock(program, core, *count)).collect()
}

/// Who is blocked, where and on what: equal on cores that are stuck in the same way.
type Way = Vec<(Processor, Site, Waiting)>;

pub(crate) fn blocked(core: &CoreState) -> impl Iterator<Item = (&ProcessorState, Waiting)> {
    core.processors.iter().filter_map(|state| match state.activity {
        Activity::Blocked(waiting) => Some((state, waiting)),
        Activity::Idle | Activity::Ready | Activity::Finished => None,
    })
}

fn way(core: &CoreState) -> Way {
    blocked(core).map(|(state, waiting)| (state.id.processor, state.site, waiting)).collect()
}

fn deadlock(program: &Program, core: &CoreState, count: usize) -> Finding {
    let mut marks = Vec::new();
    let mut involved = BTreeSet::new();
    for (state, waiting) in blocked(core) {
        involved.extend(buffer_of(waiting));
        let role = format!("{} {}", state.id.processor, waits(program, core, waiting));
        marks.push(Mark { role, site: state.site, processor: Some(state.id) });
    }
    let names: Vec<&str> = blocked(core).map(|(state, _)| state.id.processor.name()).collect();
    let wait = if names.len() == 1 { "waits" } else { "wait" };
    let title = format!("{} on core {} {wait}, and nobody can move", joined(&names), core.core);
    let mut facts: Vec<String> = Vec::new();
    for cb in involved {
        if let Some((spec, site)) = program.buffer(core.core, cb) {
            let pages = count_of(spec.pages.into(), "page");
            let role = format!("`{}` was given {pages} here", spec.name);
            marks.push(Mark { role, site, processor: None });
        }
        facts.extend(ledger_of(core, cb).map(|ledger| ledger_fact(program, core.core, ledger)));
    }
    let last = core.processors.iter().map(|state| state.cycle).max().unwrap_or_default();
    let id = FindingId::Deadlock;
    Finding { title, marks, facts, help: None, count, ..Finding::of(id) }.at(last)
}

/// What a wait for a ring is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RingWait {
    Space,
    Pages,
}

/// The ring that a wait is for, and what it waits for there.
pub(crate) fn ring_wait(waiting: Waiting) -> Option<(CbId, RingWait)> {
    match waiting {
        Waiting::ForSpace { cb, .. } => Some((cb, RingWait::Space)),
        Waiting::ForPages { cb, .. } => Some((cb, RingWait::Pages)),
        Waiting::ForTransfers { .. }
        | Waiting::ForSemaphore { .. }
        | Waiting::ForDstSection
        | Waiting::ForDstCommit
        | Waiting::ForDstDrained
        | Waiting::ForFreeBank(_)
        | Waiting::ForFullBank(_) => None,
    }
}

pub(crate) fn buffer_of(waiting: Waiting) -> Option<CbId> {
    ring_wait(waiting).map(|(cb, _)| cb)
}

/// What a processor waits for, as a sentence that begins with its name.
pub(crate) fn waits(program: &Program, core: &CoreState, waiting: Waiting) -> String {
    let ring = |cb| {
        let ledger = ledger_of(core, cb);
        let (visible, free) = ledger.map_or((0, 0), |ledger| (ledger.visible, ledger.free));
        let pages = ledger.map_or(0, |ledger| ledger.config.pages);
        (name(program, core.core, cb), visible, free, pages)
    };
    match waiting {
        Waiting::ForSpace { cb, asked } => {
            let (name, _, free, pages) = ring(cb);
            let asked = count_of(asked.into(), "free page");
            format!("waits for {asked} in `{name}`; {free} of {pages} are free")
        }
        Waiting::ForPages { cb, asked } => {
            let (name, visible, ..) = ring(cb);
            let asked = count_of(asked.into(), "page");
            let are = if visible == 1 { "is" } else { "are" };
            format!("waits for {asked} in `{name}`; {visible} {are} there")
        }
        Waiting::ForTransfers { noc, barrier, transaction } => {
            let noc = match noc {
                NocId::Zero => 0,
                NocId::One => 1,
            };
            let only = transaction.map_or_else(String::new, |id| format!(" of transaction {id}"));
            format!("waits for its {}{only} on network {noc}", transfers(barrier))
        }
        Waiting::ForSemaphore { address, until } => {
            let until = match until {
                SemaphoreTest::Equal(value) => format!("equals {value}"),
                SemaphoreTest::AtLeast(value) => format!("is at least {value}"),
            };
            format!("waits until the semaphore at {:#x} {until}", address.0)
        }
        Waiting::ForDstSection => "waits for a section of Dst that pack has released".to_owned(),
        Waiting::ForDstCommit => "waits for a section of Dst that math has committed".to_owned(),
        Waiting::ForDstDrained => "waits until pack has drained Dst".to_owned(),
        Waiting::ForFreeBank(source) => {
            format!("waits for a bank of {} that math has finished with", source_name(source))
        }
        Waiting::ForFullBank(source) => {
            format!("waits for a bank of {} that unpack has filled", source_name(source))
        }
    }
}

fn transfers(barrier: Barrier) -> &'static str {
    match barrier {
        Barrier::Reads => "reads to land",
        Barrier::Writes => "writes to be acknowledged",
        Barrier::WritesDeparted => "writes to depart",
        Barrier::PostedWritesDeparted => "posted writes to depart",
        Barrier::Atomics => "atomics to be acknowledged",
    }
}

fn source_name(source: SourceId) -> &'static str {
    match source {
        SourceId::A => "SrcA",
        SourceId::B => "SrcB",
    }
}

pub(crate) fn ledger_of(core: &CoreState, cb: CbId) -> Option<&CbLedger> {
    core.buffers.iter().find(|ledger| ledger.config.id == cb)
}

/// Who has filled and drained a buffer so far: programs do not declare it.
pub(crate) fn ledger_fact(program: &Program, core: CoreCoord, ledger: &CbLedger) -> String {
    let by = |counts: &[u64; 5], done: &str| {
        let who: Vec<String> = Processor::ALL
            .into_iter()
            .zip(counts)
            .filter(|(_, pages)| **pages > 0)
            .map(|(processor, pages)| format!("{pages} by {processor}"))
            .collect();
        if who.is_empty() {
            format!("nobody has {done}")
        } else {
            format!("{done} {}", who.join(", "))
        }
    };
    let pushed = by(&ledger.pushed_by, "pushed");
    let popped = by(&ledger.popped_by, "popped");
    let (name, pages) = (name(program, core, ledger.config.id), ledger.config.pages);
    let (visible, free) = (ledger.visible, ledger.free);
    let pages = count_of(pages.into(), "page");
    format!("`{name}` has {pages}: {pushed}; {popped}; {visible} to be read, {free} free")
}

/// What the program calls a buffer, or its index.
pub(crate) fn name(program: &Program, core: CoreCoord, cb: CbId) -> String {
    program.buffer(core, cb).map_or_else(|| cb.to_string(), |(spec, _)| spec.name.clone())
}

fn place(at: NocAddress) -> String {
    match at {
        NocAddress::L1 { core, address } => format!("{:#x} in L1 of core {core}", address.0),
        NocAddress::Dram(at) => format!("{:#x} in DRAM bank {}", at.offset, at.bank),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

pub(crate) fn joined(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

pub(crate) fn count_of(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
