//! Multicasts that count other cores than they reach.

use tilewright_machine::{Event, EventKind};

use crate::FindingId;
use crate::class::Class;
use crate::declaration::declare;
use crate::finding::{Finding, Mark};
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A multicast write, semaphore or increment whose number of destinations is not the number of
    /// cores that it reaches. The sender counts only if it lies in the rectangle and the call is
    /// one of those that include it (`_loopback_src`, `MCAST_INCL_SRC`).
    /// # Why it matters
    /// The number is added to the acknowledgements that barriers wait for, and barriers wait until
    /// both are equal (tt-metal, `noc_nonblocking_api.h`). With too large a number the next barrier
    /// never returns; with too small a number it may return early, and a later one never does. The
    /// simulator counts the cores itself, so that runs go on here.
    /// # Instead
    /// Pass the number of cores of the rectangle, less one if the sender lies in it and is not
    /// included.
    pub struct MiscountedCores {}
    Declaration { name: "miscounted-cores", tool: Some(Tool::Sync) }
}

impl Checker for MiscountedCores {
    fn classes(&self) -> &'static [Class] {
        &[Class::Network]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        if let EventKind::CoresMiscounted { counted, reached } = event.kind {
            report(event, (counted, reached), found);
        }
    }
}

fn report(event: &Event, (counted, reached): (u32, u32), found: &mut Found) {
    let (id, who) = (FindingId::MiscountedCores, event.processor);
    let plural = if reached == 1 { "" } else { "s" };
    found.add(id, event.site, (event.cycle, who.core), || {
        Finding {
            title: format!(
                "{} on core {} multicasts to {reached} core{plural} and counts {counted}",
                who.processor, who.core
            ),
            marks: vec![Mark {
                role: format!("{} multicasts", who.processor),
                site: event.site,
                processor: Some(who),
            }],
            facts: vec![if counted > reached {
                "proof: the next barrier waits for acknowledgements that no core sends".to_owned()
            } else {
                "proof: acknowledgements come that no barrier counts; barriers wait for equal \
                 numbers"
                    .to_owned()
            }],
            help: Some(format!("pass {reached} as the number of destinations")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
