//! Dst acquired again before the first section was committed.

use std::collections::BTreeMap;

use tilewright_machine::{
    CoreCoord, Cycle, Event, EventKind, Outcome, Processor, ProcessorId, Site,
};
use tilewright_metal::Program;

use crate::class::Class;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::session::{Checker, Found};

manual! {
    /// # What it finds
    /// Math acquires Dst while it holds a section that it has not committed.
    /// # Why it matters
    /// The inner commit gives the whole section to pack and moves math on to the next one; pack
    /// clears what it releases. Whatever the outer code kept in Dst is lost, silently.
    /// # Instead
    /// Commit before calling code that acquires, and carry values over in a circular buffer; or
    /// let the inner code use the section that is already held.
    pub struct NestedAcquire {
        /// Sections acquired and not committed, the outermost first.
        held: BTreeMap<CoreCoord, Vec<(Site, Cycle)>>,
    }
}

impl Checker for NestedAcquire {
    fn classes(&self) -> &'static [Class] {
        &[Class::Section]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        match event.kind {
            EventKind::DstAcquired => {
                let held = self.held.entry(event.processor.core).or_default();
                held.push((event.site, event.cycle));
            }
            EventKind::DstCommitted => {
                let held = self.held.entry(event.processor.core).or_default();
                let inner = held.pop();
                if let (Some((outer, _)), Some(inner)) = (held.last(), inner) {
                    report(*outer, inner, Some(event.site), event.processor, found);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, _: &Program, _: &Outcome, found: &mut Found) {
        for (core, held) in &self.held {
            let math = ProcessorId { core: *core, processor: Processor::Math };
            for pair in held.windows(2) {
                report(pair[0].0, pair[1], None, math, found);
            }
        }
    }
}

fn report(
    outer: Site,
    (inner, cycle): (Site, Cycle),
    commit: Option<Site>,
    math: ProcessorId,
    found: &mut Found,
) {
    let id = FindingId::NestedAcquire;
    found.add(id, inner, (cycle, math.core), || {
        let mark = |site, role: &str| Mark { role: role.to_owned(), site, processor: Some(math) };
        let mut marks = vec![
            mark(outer, "math acquires a section"),
            mark(inner, "math acquires again, with the section of (1) not committed"),
        ];
        let commit = commit.map(|site| mark(site, "gives the section to pack, which clears it"));
        marks.extend(commit);
        let facts = vec![
            "proof: no `tile_regs_commit` between (1) and (2)".to_owned(),
            "what math had written since (1) goes to pack with (2)'s section".to_owned(),
            format!("cycle {cycle}"),
        ];
        Finding {
            title: format!("math on core {} acquires Dst inside an acquired section", math.core),
            marks,
            facts,
            help: Some("commit and pack what (1) holds before (2), and reload it after".to_owned()),
            ..Finding::of(id)
        }
    });
}
