//! Sections of Dst that math or pack still has when all kernels have returned.

use std::collections::VecDeque;

use tilewright_machine::{
    CoreCoord, Cycle, Ending, Event, EventKind, Outcome, Processor, ProcessorId, Site,
};
use tilewright_metal::Program;

use crate::class::Class;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};

manual! {
    /// # What it finds
    /// A section of Dst that math has committed and pack has not released, or that math has
    /// acquired and not committed, when all kernels have returned.
    /// # Why it matters
    /// The semaphore between math and pack keeps its count from program to program. With a section
    /// still counted, the start-up of the next compute kernel on the core waits for ever; one
    /// without start-up finds a section less. What math wrote to a section that it never
    /// committed reaches nobody.
    /// # Instead
    /// Commit every section that is acquired, and wait for and release every one that is
    /// committed, on every way through the kernel. A kernel that acquires and commits on purpose
    /// without packing still has to release.
    pub struct UnreleasedSection {
        cores: PerCore<Sections>,
    }
}

/// A call and when it was made.
type Call = (Site, Cycle);

/// The sections of one core that somebody has.
#[derive(Default)]
struct Sections {
    /// Acquired and not committed, the outermost first.
    acquired: Vec<Call>,
    /// Committed and not released, the oldest first, with their acquires.
    committed: VecDeque<(Option<Site>, Call)>,
    /// Where pack took a section that it has not released.
    waited: Option<Site>,
}

impl Checker for UnreleasedSection {
    fn classes(&self) -> &'static [Class] {
        &[Class::Section]
    }

    fn event(&mut self, event: &Event, _: &mut Found) {
        let sections = self.cores.at(event.processor.core);
        match event.kind {
            EventKind::DstAcquired => sections.acquired.push((event.site, event.cycle)),
            EventKind::DstCommitted => {
                let acquired = sections.acquired.pop().map(|(site, _)| site);
                sections.committed.push_back((acquired, (event.site, event.cycle)));
            }
            EventKind::DstWaited => sections.waited = Some(event.site),
            EventKind::DstReleased => {
                sections.committed.pop_front();
                sections.waited = None;
            }
            _ => {}
        }
    }

    /// A run that did not complete may have had more to do.
    fn end(&mut self, _: &Program, outcome: &Outcome, found: &mut Found) {
        if outcome.ending != Ending::Completed {
            return;
        }
        for state in &outcome.cores {
            let Some(sections) = self.cores.get(state.core) else { continue };
            sections.acquired.iter().for_each(|call| uncommitted(state.core, *call, found));
            if let Some((acquired, call)) = sections.committed.back() {
                let count = sections.committed.len();
                unreleased(state.core, (*acquired, *call), (count, sections.waited), found);
            }
        }
    }
}

fn mark(core: CoreCoord, processor: Processor, site: Site, role: &str) -> Mark {
    let processor = Some(ProcessorId { core, processor });
    Mark { role: role.to_owned(), site, processor }
}

fn uncommitted(core: CoreCoord, (site, cycle): Call, found: &mut Found) {
    let id = FindingId::UnreleasedSection;
    found.add(id, site, (cycle, core), || Finding {
        title: format!(
            "math on core {core} returns with a section of Dst that it has not committed"
        ),
        marks: vec![
            mark(core, Processor::Math, site, "math acquires a section"),
            mark(core, Processor::Math, Site::KERNEL, "math returns with it"),
        ],
        facts: vec![
            "proof: no `tile_regs_commit` between (1) and (2)".to_owned(),
            "pack never gets what math wrote since (1)".to_owned(),
            format!("cycle {cycle}"),
        ],
        help: Some("commit, pack and release the section, or do not acquire it".to_owned()),
        ..Finding::of(id)
    });
}

fn unreleased(
    core: CoreCoord,
    (acquired, (site, cycle)): (Option<Site>, Call),
    (count, waited): (usize, Option<Site>),
    found: &mut Found,
) {
    let id = FindingId::UnreleasedSection;
    found.add(id, site, (cycle, core), || {
        let (math, pack) = (Processor::Math, Processor::Pack);
        let acquired = acquired.map(|site| mark(core, math, site, "math acquires a section"));
        let mut marks: Vec<Mark> = acquired.into_iter().collect();
        marks.push(mark(core, math, site, "math commits it"));
        let committed = marks.len();
        marks.extend(waited.map(|site| mark(core, pack, site, "pack waits for it")));
        marks.push(mark(core, pack, Site::KERNEL, "pack returns, and the section is not released"));
        let (left, sections) = match count {
            1 => ("a committed section".to_owned(), "1 section"),
            2 => ("2 committed sections".to_owned(), "2 sections"),
            _ => (format!("{count} committed sections"), "its sections"),
        };
        Finding {
            title: format!("pack on core {core} returns without releasing {left} of Dst"),
            facts: vec![
                format!(
                    "proof: no `tile_regs_release` between ({committed}) and ({})",
                    marks.len()
                ),
                format!(
                    "the next program on the core finds {sections} taken, and its start-up waits"
                ),
                format!("cycle {cycle}"),
            ],
            marks,
            help: Some("call `tile_regs_release()` for every section that is committed".to_owned()),
            ..Finding::of(id)
        }
    });
}
