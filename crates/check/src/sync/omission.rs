//! Pages that one side of a ring does not give on, while the other side waits for them.
//!
//! Looked for when a run is over, and only where a processor waits or pages are left: to ask for
//! pages twice is no fault as long as nothing lacks them.

use tilewright_machine::{
    Activity, CbId, CoreCoord, CoreState, Ending, Outcome, Processor, ProcessorId, Site, Waiting,
};
use tilewright_metal::Program;

use super::turns::{Again, AllTurns, Side, Turns};
use super::users::Users;
use super::{missing_pop, missing_push};
use crate::FindingId;
use crate::ending::{RingWait, blocked, count_of, ledger_fact, ledger_of, name, ring_wait};
use crate::finding::{Finding, Mark, line_of};
use crate::flow::Step;
use crate::session::Found;

/// What a side of a ring leaves out.
pub(super) struct Omission {
    /// Where it asked for the pages, and for how many.
    asked: (Step, u32),
    /// Where it used them last.
    used: Option<Step>,
    /// Where it asked for them again.
    again: Option<Step>,
    /// Where it gave some of them on, and how many.
    short: Option<(Step, u32)>,
    /// Whether it has given on other pages of the ring before.
    has_given: bool,
    /// What the ring holds.
    ledger: Option<String>,
}

/// The words of one side.
pub(super) struct Words {
    pub(super) id: FindingId,
    pub(super) asks: &'static str,
    pub(super) asked: &'static str,
    pub(super) ask: &'static str,
    pub(super) give: &'static str,
    pub(super) verb: &'static str,
    pub(super) gives: &'static str,
    pub(super) given: &'static str,
    pub(super) fills: &'static str,
}

/// Looks at every ring of a run that is over.
pub(crate) fn look(program: &Program, outcome: &Outcome, users: &Users, found: &mut Found) {
    for core in &outcome.cores {
        match outcome.ending {
            Ending::Stuck => stuck(program, core, &users.turns, found),
            Ending::Completed => completed(program, core, &users.turns, found),
            Ending::Stopped(_) | Ending::Paused(_) => {}
        }
    }
}

/// Rings that a processor waits for.
fn stuck(program: &Program, core: &CoreState, turns: &AllTurns, found: &mut Found) {
    let mut seen: Vec<(CbId, Side)> = Vec::new();
    for (_, waiting) in blocked(core) {
        let (cb, side) = match ring_wait(waiting) {
            Some((cb, RingWait::Pages)) => (cb, Side::Producer),
            Some((cb, RingWait::Space)) => (cb, Side::Consumer),
            None => continue,
        };
        if !seen.contains(&(cb, side)) {
            seen.push((cb, side));
            look_at(program, core, (cb, side), turns, found);
        }
    }
}

/// Rings with pages left that were never read.
fn completed(program: &Program, core: &CoreState, turns: &AllTurns, found: &mut Found) {
    for ledger in &core.buffers {
        let cb = ledger.config.id;
        let is_unseen = |(_, it): (Processor, &Turns)| u64::from(it.held) < ledger.visible.into();
        if ledger.visible > 0 && turns.on(core.core, cb, Side::Consumer).all(is_unseen) {
            look_at(program, core, (cb, Side::Consumer), turns, found);
        }
    }
}

fn look_at(
    program: &Program,
    core: &CoreState,
    (cb, side): (CbId, Side),
    turns: &AllTurns,
    found: &mut Found,
) {
    let ledger = ledger_of(core, cb).map(|ledger| ledger_fact(program, core.core, ledger));
    for (processor, of) in turns.on(core.core, cb, side) {
        let id = ProcessorId { core: core.core, processor };
        let state = core.processors.iter().find(|state| state.id == id);
        let Some(activity) = state.map(|state| state.activity) else { continue };
        let Some(mut omission) = omission(of, side, activity) else { continue };
        omission.ledger.clone_from(&ledger);
        if omission.used.is_none() {
            let site = turns.access(core.core, processor);
            omission.used = site.map(|site| Step { site, ..omission.asked.0 });
        }
        match side {
            Side::Producer => missing_push::finding(program, (core.core, cb), id, &omission, found),
            Side::Consumer => missing_pop::finding(program, (core.core, cb), id, &omission, found),
        }
    }
}

/// What a processor leaves out: it asked again, or it has returned with pages in its hands. One
/// that waits for another ring with filled pages has not pushed them either; one that waits for a
/// signal or a transfer may be about to.
fn omission(turns: &Turns, side: Side, activity: Activity) -> Option<Omission> {
    let (ledger, has_given) = (None, turns.given > 0);
    if let Some(Again { before, pages, used, now, short }) = turns.again {
        let (asked, again) = ((before, pages), Some(now));
        let short = short.or_else(|| turns.gave.filter(|(_, pages)| *pages == 0));
        return Some(Omission { asked, used, again, short, has_given, ledger });
    }
    let is_left = match (side, activity) {
        (Side::Producer | Side::Consumer, Activity::Finished) => true,
        (Side::Producer, Activity::Blocked(waiting)) => {
            turns.used.is_some() && !is_for_others(waiting)
        }
        (Side::Consumer, Activity::Blocked(_)) => false,
        (Side::Producer | Side::Consumer, Activity::Idle | Activity::Ready) => false,
    };
    let asked = turns.asked.filter(|_| turns.held > 0 && is_left)?;
    let short = turns.gave.filter(|(step, _)| step.cycle >= asked.0.cycle);
    Some(Omission { asked, used: turns.used, again: None, short, has_given, ledger })
}

/// Whether a wait ends by something other than a ring or the compute processors' turns.
fn is_for_others(waiting: Waiting) -> bool {
    match waiting {
        Waiting::ForSemaphore { .. } | Waiting::ForTransfers { .. } => true,
        Waiting::ForPages { .. }
        | Waiting::ForSpace { .. }
        | Waiting::ForDstSection
        | Waiting::ForDstCommit
        | Waiting::ForDstDrained
        | Waiting::ForFreeBank(_)
        | Waiting::ForFullBank(_) => false,
    }
}

pub(super) fn report(
    program: &Program,
    words: &Words,
    (core, cb): (CoreCoord, CbId),
    who: ProcessorId,
    omission: &Omission,
    found: &mut Found,
) {
    let at = omission.again.unwrap_or(omission.asked.0);
    let site = omission.asked.0.site;
    found.add_on(cb, words.id, site, (at.cycle, core), || {
        let ring = name(program, core, cb);
        let (asked, pages) = omission.asked;
        let (title, proof) = match omission.short {
            Some((_, given)) => short_words(words, who, &ring, (pages, given)),
            None => none_words(words, who, &ring, omission),
        };
        let marks = marks(words, who, &ring, omission);
        let mut facts = vec![format!("proof: {}", proof.replace("(2)", &last(&marks)))];
        facts.extend(omission.ledger.clone());
        let give = words.give;
        let help = match omission.short {
            Some((step, _)) => {
                let (verb, pages) = (words.verb, count_of(pages.into(), "page"));
                format!("{verb} {pages} at {}", line_of(step.site))
            }
            None => {
                let after = line_of(omission.used.map_or(asked.site, |step| step.site));
                let pages = count_of(pages.into(), "page");
                format!("call `{give}` for {pages} of `{ring}` after {after}")
            }
        };
        Finding { title, marks, facts, help: Some(help), ..Finding::of(words.id) }.at(at.cycle)
    });
}

/// The number of the last mark.
fn last(marks: &[Mark]) -> String {
    format!("({})", marks.len())
}

fn none_words(
    words: &Words,
    ProcessorId { core, processor }: ProcessorId,
    ring: &str,
    omission: &Omission,
) -> (String, String) {
    let Words { asked, give, given, .. } = words;
    let never = if omission.has_given { "not" } else { "never" };
    let line = omission.asked.0.site.line;
    let title = format!(
        "`{ring}` on core {core} is {asked} at line {line} and {never} {given} by {processor}"
    );
    let proof = match (omission.has_given, omission.again) {
        (false, _) => format!("{processor} has called no `{give}` for `{ring}` in this run"),
        (true, Some(_)) => {
            format!("{processor} called no `{give}` for `{ring}` between (1) and (2)")
        }
        (true, None) => format!("{processor} has called no `{give}` for `{ring}` since (1)"),
    };
    (title, proof)
}

fn short_words(
    words: &Words,
    ProcessorId { core, processor }: ProcessorId,
    ring: &str,
    (pages, given): (u32, u32),
) -> (String, String) {
    let Words { asked, gives, .. } = words;
    let title = format!(
        "{processor} on core {core} {gives} {given} of the {pages} pages of `{ring}` it {asked}"
    );
    let title =
        title.replace("it reserved", "it reserves").replace("it waited for", "it waits for");
    (title, format!("{pages} pages {asked} at (1), {given} {} since", words.given))
}

fn marks(words: &Words, who: ProcessorId, ring: &str, omission: &Omission) -> Vec<Mark> {
    let mark = |site: Site, role: String| Mark { role, site, processor: Some(who) };
    let Words { asks, fills, gives, ask, .. } = words;
    let name = who.processor;
    let (asked, pages) = omission.asked;
    let pages = count_of(pages.into(), "page");
    let mut marks = vec![mark(asked.site, format!("{name} {asks} {pages} of `{ring}`"))];
    if let Some(used) = omission.used.filter(|used| used.site != asked.site) {
        marks.push(mark(used.site, format!("{name} {fills} it for the last time")));
    }
    if let Some((step, given)) = omission.short {
        marks.push(mark(step.site, format!("{name} {gives} {given}")));
    }
    if let Some(again) = omission.again.filter(|again| again.site != asked.site) {
        marks.push(mark(again.site, format!("{name} calls `{ask}` again")));
    }
    marks
}
