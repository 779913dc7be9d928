//! The tool init: what nobody has written, once it matters.
//!
//! Copying such values is no fault. Reaching an element of an output, or a kernel's own eyes, is.

mod manuals;
mod output;

pub use manuals::{
    PaddingInOutput, StaleLap, UninitialisedBranch, UninitialisedDst, UninitialisedPage,
    UnwrittenOutput,
};

use tilewright_machine::{CoreCoord, Event, EventKind};

use crate::ending::count_of;
use crate::finding::{Finding, FindingId, Mark};
use crate::flow::{Birth, BornId, Flow};
use crate::session::Found;

/// The judge of what is followed.
#[derive(Default)]
pub(crate) struct Init;

impl Init {
    /// Looks at an event before it is followed.
    pub(crate) fn event(&self, event: &Event, flow: &mut Flow, found: &mut Found) {
        if let EventKind::L1Read { at, bytes } = event.kind {
            let core = event.processor.core;
            let (at, span) = (at.0 as usize, bytes as usize);
            if let Some((birth, name)) = unwritten(flow, core, at, span) {
                branch(event, bytes, (&name, birth), found);
            }
        }
    }

    /// Looks at the outputs. Returns those pages that have a finding.
    pub(crate) fn end(&self, flow: &mut Flow, found: &mut Found) -> Vec<(usize, u32)> {
        output::judge(flow, found)
    }
}

/// Where a span of a ring came from, and the ring's name, if none of its bytes means anything.
fn unwritten(flow: &mut Flow, core: CoreCoord, at: usize, bytes: usize) -> Option<(Birth, String)> {
    let here = flow.core(core);
    let cb = here.ring_at(at)?.config.id;
    let mut span = here.l1.span(at, bytes);
    if !span.all(|granule| granule.defined & granule.bytes == 0) {
        return None;
    }
    drop(span);
    let fact = here.l1.span(at, 1).next()?.fact.copied();
    let earlier = here.birth(at, fact.as_ref())?;
    let born = fact.map_or(BornId::NOT, |fact| fact.born);
    let birth = flow.births.get(born).map_or(earlier, |born| born.birth);
    let is_padding = matches!(birth, Birth::Padding { .. });
    (!is_padding).then(|| (birth, flow.buffer_name(core, cb)))
}

fn branch(event: &Event, bytes: u32, (name, birth): (&str, Birth), found: &mut Found) {
    let (id, who) = (FindingId::UninitialisedBranch, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let bytes = count_of(u64::from(bytes), "byte");
        let (what, earlier) = match birth {
            Birth::Lap { written, by, .. } => {
                let role = format!("{} wrote them, a lap ago", by.processor);
                (
                    "left from an earlier lap",
                    Some(Mark { role, site: written, processor: Some(by) }),
                )
            }
            Birth::Page { .. } | Birth::Output { .. } => ("that nobody has written", None),
            Birth::Dst { .. } | Birth::Padding { .. } => ("that nobody has computed", None),
        };
        let role = format!("{} reads {bytes} of `{name}` {what}", who.processor);
        let mark = Mark { role, site: event.site, processor: Some(who) };
        Finding {
            title: format!(
                "{} on core {} reads {bytes} of `{name}` {what}",
                who.processor, who.core
            ),
            marks: earlier.into_iter().chain([mark]).collect(),
            facts: vec![
                format!("proof: none of the {bytes} has been written in this lap of `{name}`"),
                format!("cycle {}", event.cycle),
            ],
            help: Some("wait for what writes the page before reading it".to_owned()),
            ..Finding::of(id)
        }
    });
}
