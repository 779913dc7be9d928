//! Which findings only follow from others. Applied where that is certain.

use tilewright_machine::{Activity, CbId, CoreCoord, Outcome};

use crate::FindingId;
use crate::ending::buffer_of;
use crate::finding::Finding;
use crate::session::Place;
use crate::tool::Tool;

/// Puts what follows from an earlier finding on its list, and takes it out. Places come in order of
/// time.
pub(crate) fn attach(places: Vec<Place>) -> Vec<Place> {
    // Pages, transfers and sections are left over at the end, however early they began.
    let is_final = |place: &Place| {
        matches!(
            place.finding.id,
            FindingId::LeftoverPages | FindingId::UnflushedAtExit | FindingId::UnreleasedSection
        )
    };
    let (last, first): (Vec<Place>, Vec<Place>) = places.into_iter().partition(is_final);
    let mut kept: Vec<Place> = Vec::new();
    for place in first.into_iter().chain(last) {
        match kept.iter_mut().find(|cause| follows(cause, &place)) {
            Some(cause) => cause.finding.consequences.push(title(&place.finding)),
            None => kept.push(place),
        }
    }
    kept.sort_by_key(|place| place.cycle);
    kept
}

/// The same for waits that cannot end: they come last.
pub(crate) fn attach_waits(
    places: &mut [Place],
    waits: Vec<Finding>,
    outcome: &Outcome,
) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for wait in waits {
        let rings = rings_of(&wait, outcome);
        let is_cause = |place: &&mut Place| {
            let is_waited =
                |cb| rings.iter().any(|(core, ring)| *ring == cb && place.cores.contains(core));
            miscounts(place.finding.id) && place.ring.is_some_and(is_waited)
        };
        match places.iter_mut().find(is_cause) {
            Some(cause) => cause.finding.consequences.push(title(&wait)),
            None => kept.push(wait),
        }
    }
    kept
}

/// How a finding is called in another's list.
pub(crate) fn title(finding: &Finding) -> String {
    format!("{}: {}", finding.id, finding.title)
}

/// Whether a place only follows from another that is not later.
fn follows(cause: &Place, place: &Place) -> bool {
    if cause.cores.is_disjoint(&place.cores) {
        return false;
    }
    match place.finding.id {
        // The ring's counts or pointers are off since the cause.
        FindingId::OverPush
        | FindingId::OverPop
        | FindingId::OverReserve
        | FindingId::StraddlesEnd
        | FindingId::OutsideWindow
        | FindingId::PageSize
        | FindingId::LeftoverPages => {
            miscounts(cause.finding.id) && place.ring.is_some() && cause.ring == place.ring
        }
        // Whoever leaves its window meets others in it.
        FindingId::ConflictingAccess | FindingId::ReadBeforeLanding => {
            cause.finding.id.tool() == Some(Tool::Memory)
        }
        // The barrier that is missing would have waited for both.
        FindingId::UnflushedAtExit => {
            matches!(cause.finding.id, FindingId::UnawaitedRead | FindingId::OverwrittenInFlight)
        }
        // Math and pack are in sections of which the other does not know.
        FindingId::LostOnRelease | FindingId::DstOutsideSection | FindingId::UnreleasedSection => {
            cause.finding.id == FindingId::NestedAcquire
        }
        // The bytes or the tile were given away or overwritten too early.
        id if follows_values(id) => loses_values(cause.finding.id),
        _ => false,
    }
}

/// Whether a finding is about values that are not there. The padding of an input is never lost.
fn follows_values(id: FindingId) -> bool {
    matches!(id.tool(), Some(Tool::Init | Tool::Value)) && id != FindingId::PaddingInOutput
}

/// Whether a fault can make values get lost. One that is added once too often loses nothing, and
/// neither does a wrong format.
fn loses_values(id: FindingId) -> bool {
    match id.tool() {
        Some(Tool::Sync | Tool::Race | Tool::Memory) => true,
        Some(Tool::Dst) => id != FindingId::StaleAccumulation,
        Some(Tool::Format) => matches!(id, FindingId::PageSize | FindingId::WrongInit),
        Some(Tool::Init | Tool::Value) | None => false,
    }
}

/// Whether a fault can make values wrong. A section that is never released is the next program's.
pub(crate) fn spoils_values(id: FindingId) -> bool {
    let is_harmless = matches!(id, FindingId::UnreleasedSection | FindingId::BeyondBound);
    id.tool().is_some() && !is_harmless
}

/// Whether a finding leaves its ring with counts or pointers that do not mean what they should.
fn miscounts(id: FindingId) -> bool {
    matches!(
        id,
        FindingId::OverPush
            | FindingId::OverPop
            | FindingId::OverReserve
            | FindingId::StraddlesEnd
            | FindingId::PageSize
    )
}

/// The rings that the marked processors of a wait are blocked on.
fn rings_of(wait: &Finding, outcome: &Outcome) -> Vec<(CoreCoord, CbId)> {
    let states = outcome.cores.iter().flat_map(|core| &core.processors);
    let is_marked = |id| wait.marks.iter().any(|mark| mark.processor == Some(id));
    let ring = |state: &tilewright_machine::ProcessorState| match state.activity {
        Activity::Blocked(waiting) => Some((state.id.core, buffer_of(waiting)?)),
        Activity::Idle | Activity::Ready | Activity::Finished => None,
    };
    states.filter(|state| is_marked(state.id)).filter_map(ring).collect()
}
