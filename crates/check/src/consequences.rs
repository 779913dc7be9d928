//! Which findings only follow from others. Applied where that is certain: the same ring or
//! section of Dst is off since the cause, or the cause has touched the very values.

use tilewright_machine::{
    Activity, CbId, CoreCoord, L1Address, Outcome, Processor, ProcessorId, Waiting,
};

use crate::FindingId;
use crate::declaration::{Cause, StuckWaits};
use crate::ending::buffer_of;
use crate::finding::{Finding, line_of};
use crate::session::Place;
use crate::tool::Tool;
use crate::trace::Traces;

/// Puts what follows from another finding on its list, and takes it out. Places come in order of
/// time.
pub(crate) fn attach(places: Vec<Place>) -> Vec<Place> {
    // Pages and transfers are left over at the end, however early they began.
    let is_final = |place: &Place| place.finding.id.declaration().is_final;
    let (values, causes): (Vec<Place>, Vec<Place>) =
        places.into_iter().partition(|place| follows_values(place.finding.id));
    let (last, first): (Vec<Place>, Vec<Place>) = causes.into_iter().partition(is_final);
    let mut kept: Vec<Place> = Vec::new();
    for place in first.into_iter().chain(last) {
        match kept.iter_mut().find(|cause| follows(cause, &place)) {
            Some(cause) => adopt(cause, &place),
            None => kept.push(place),
        }
    }
    let causes = kept.len();
    for place in values {
        let list = causes_of(&kept[..causes], &place);
        match list.split_first() {
            Some((first, others)) => {
                let others: Vec<&Finding> = others.iter().map(|it| &kept[*it].finding).collect();
                let text = title_among(&place.finding, &others);
                kept[*first].finding.consequences.push(text);
            }
            None => kept.push(place),
        }
    }
    kept.sort_by_key(|place| (is_final(place), place.earliest));
    kept
}

/// Puts a finding on the list of the one that it follows from; what follows from it does so too.
fn adopt(cause: &mut Place, place: &Place) {
    cause.finding.consequences.push(title(&place.finding));
    cause.attached.push(place.finding.id);
    cause.attached_tokens.join(Traces::of(place.token));
}

/// The same for waits that cannot end: they come last.
pub(crate) fn attach_waits(
    places: &mut [Place],
    waits: Vec<Finding>,
    outcome: &Outcome,
) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    // A processor that waits for a word may be behind others that wait for it in turn.
    let words = words_of(outcome);
    for wait in waits {
        let rings = rings_of(&wait, outcome);
        let is_cause = |place: &&mut Place| {
            let is_waited =
                |cb| rings.iter().any(|(core, ring)| *ring == cb && place.cores.contains(core));
            let is_here = |of: &dyn Fn(Processor) -> bool| {
                wait.marks.iter().any(|mark| {
                    mark.processor
                        .is_some_and(|id| place.cores.contains(&id.core) && of(id.processor))
                })
            };
            let is_word =
                |at| words.iter().any(|(core, word)| *word == at && place.cores.contains(core));
            match place.finding.id.declaration().stuck_waits {
                StuckWaits::None => false,
                StuckWaits::ForItsRing => place.ring.is_some_and(is_waited),
                StuckWaits::ForItsWord => place.word.is_some_and(is_word),
                StuckWaits::ForAnyWord => !words.is_empty(),
                StuckWaits::OfCompute => is_here(&is_compute),
                StuckWaits::OfAnyProcessor => is_here(&|_| true),
                StuckWaits::AtItsLine(id) => ends_there(place, &wait, id),
            }
        };
        match places.iter_mut().find(is_cause) {
            Some(cause) => cause.finding.consequences.push(title(&wait)),
            None => kept.push(wait),
        }
    }
    kept
}

/// Whether a run ended at the line of a finding, in some way.
fn ends_there(place: &Place, wait: &Finding, id: FindingId) -> bool {
    wait.id == id && wait.marks.first().is_some_and(|mark| mark.site == place.site)
}

/// How a finding is called in another's list.
pub(crate) fn title(finding: &Finding) -> String {
    format!("{}: {}", finding.id, finding.title)
}

/// The same for what may follow from others as well.
pub(crate) fn title_among(finding: &Finding, others: &[&Finding]) -> String {
    let named = |other: &&Finding| match other.marks.first() {
        Some(mark) => format!("{} ({})", other.id, line_of(mark.site)),
        None => other.id.to_string(),
    };
    match others {
        [] => title(finding),
        _ => {
            let others: Vec<String> = others.iter().map(named).collect();
            format!("{}; may also follow from {}", title(finding), others.join(", "))
        }
    }
}

fn is_compute(processor: Processor) -> bool {
    match processor {
        Processor::Unpack | Processor::Math | Processor::Pack => true,
        Processor::Reader | Processor::Writer => false,
    }
}

/// The places of those that a finding about values follows from. Values carry what has touched
/// them; what was only noticed when the run was over has touched none, and may be the cause if it
/// is about the same core.
fn causes_of(kept: &[Place], place: &Place) -> Vec<usize> {
    let causes = |is_cause: &dyn Fn(&Place) -> bool| -> Vec<usize> {
        let is_it = |number: &usize| {
            let cause = &kept[*number];
            is_or_has(cause, |id| id.declaration().loses_values) && is_cause(cause)
        };
        (0..kept.len()).filter(is_it).collect()
    };
    if place.finding.id.declaration().stands_alone {
        return Vec::new();
    }
    let touched = causes(&|cause| {
        let is_touched =
            place.reached.has(cause.token) || place.reached.meets(cause.attached_tokens);
        is_touched || misplaces(cause, place)
    });
    if !touched.is_empty() {
        return touched;
    }
    causes(&|cause| {
        !cause.token.is_traced()
            && cause.cycle <= place.cycle
            && !cause.cores.is_disjoint(&place.cores)
    })
}

/// Whether a write leaves an output that lacks values: what it took elsewhere belongs there.
fn misplaces(cause: &Place, place: &Place) -> bool {
    let is_lack = place.finding.id.declaration().lacks_values;
    let is_stray = cause.finding.id.declaration().misplaces_values;
    is_lack && is_stray && place.output.is_some() && cause.output == place.output
}

/// Whether a finding, or one that follows from it, is of some kind.
fn is_or_has(place: &Place, is_it: impl Fn(FindingId) -> bool) -> bool {
    is_it(place.finding.id) || place.attached.iter().any(|id| is_it(*id))
}

/// Whether a place only follows from another that is not later.
fn follows(cause: &Place, place: &Place) -> bool {
    let causes = place.finding.id.declaration().follows;
    !cause.cores.is_disjoint(&place.cores) && causes.iter().any(|it| is_such(cause, *it, place))
}

/// Whether a finding is a cause of the kind that another one names.
fn is_such(cause: &Place, named: Cause, place: &Place) -> bool {
    let id = cause.finding.id;
    match named {
        Cause::Kinds(ids) => ids.contains(&id),
        Cause::OfItsSize => id.declaration().resizes && cause.site.is_at(&place.site),
        Cause::OfPages => id.declaration().gives_pages_away,
        Cause::OfItsSide(ids) => {
            let is_its_side = cause.ring == place.ring && processor(cause) == processor(place);
            ids.contains(&id) && is_its_side
        }
        Cause::OfItsRing => {
            id.declaration().miscounts && place.ring.is_some() && cause.ring == place.ring
        }
        Cause::OfSections => id.declaration().is_of_sections,
        Cause::OfTool(tool) => is_or_has(cause, |id| id.tool() == Some(tool)),
    }
}

/// Who made the last step of a place.
fn processor(place: &Place) -> Option<Processor> {
    place.finding.marks.last()?.processor.map(|id| id.processor)
}

/// Whether a finding is about values that are not there.
fn follows_values(id: FindingId) -> bool {
    matches!(id.tool(), Some(Tool::Init | Tool::Value))
}

/// The rings that the marked processors of a wait are blocked on.
fn rings_of(wait: &Finding, outcome: &Outcome) -> Vec<(CoreCoord, CbId)> {
    let is_marked = |id| wait.marks.iter().any(|mark| mark.processor == Some(id));
    let ring = |(id, waiting): (ProcessorId, _)| Some((id.core, buffer_of(waiting)?));
    blocked(outcome).filter(|(id, _)| is_marked(*id)).filter_map(ring).collect()
}

/// The words that anybody is blocked on.
fn words_of(outcome: &Outcome) -> Vec<(CoreCoord, L1Address)> {
    let word = |(id, waiting): (ProcessorId, _)| match waiting {
        Waiting::ForSemaphore { address, .. } => Some((id.core, address)),
        Waiting::ForSpace { .. }
        | Waiting::ForPages { .. }
        | Waiting::ForTransfers { .. }
        | Waiting::ForDstSection
        | Waiting::ForDstCommit
        | Waiting::ForDstDrained
        | Waiting::ForFreeBank(_)
        | Waiting::ForFullBank(_) => None,
    };
    blocked(outcome).filter_map(word).collect()
}

fn blocked(outcome: &Outcome) -> impl Iterator<Item = (ProcessorId, Waiting)> {
    let states = outcome.cores.iter().flat_map(|core| &core.processors);
    states.filter_map(|state| match state.activity {
        Activity::Blocked(waiting) => Some((state.id, waiting)),
        Activity::Idle | Activity::Ready | Activity::Finished => None,
    })
}
