//! Dst used by math before acquire or after commit, or by pack before wait or after release.

use tilewright_machine::{Event, EventKind, Processor, Site};

use crate::class::Class;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};

manual! {
    /// # What it finds
    /// Math works on Dst without having acquired a section, or pack reads Dst without having
    /// waited for one.
    /// # Why it matters
    /// Nothing orders the two then: pack may read a tile before math has written it, or math may
    /// write to a section that pack is draining or about to clear.
    /// # Instead
    /// Put math between `tile_regs_acquire` and `tile_regs_commit`, and pack between
    /// `tile_regs_wait` and `tile_regs_release`.
    pub struct DstOutsideSection {
        cores: PerCore<Holders>,
    }
}

/// How many sections each side holds, and where it gave the last one away.
#[derive(Default)]
struct Holders {
    math: u32,
    pack: u32,
    committed: Option<Site>,
    released: Option<Site>,
}

impl Checker for DstOutsideSection {
    fn classes(&self) -> &'static [Class] {
        &[Class::Section, Class::Matrix, Class::Vector, Class::Pack]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let holders = self.cores.at(event.processor.core);
        match event.kind {
            EventKind::DstAcquired => holders.math += 1,
            EventKind::DstWaited => holders.pack += 1,
            EventKind::DstCommitted => {
                holders.math = holders.math.saturating_sub(1);
                holders.committed = Some(event.site);
            }
            EventKind::DstReleased => {
                holders.pack = holders.pack.saturating_sub(1);
                holders.released = Some(event.site);
            }
            EventKind::Computed { .. } | EventKind::Vectored { .. } if holders.math == 0 => {
                report(event, holders.committed, found);
            }
            EventKind::Packed { .. } if holders.pack == 0 => {
                report(event, holders.released, found);
            }
            _ => {}
        }
    }
}

fn report(event: &Event, given: Option<Site>, found: &mut Found) {
    let (id, who) = (FindingId::DstOutsideSection, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let (verb, take, give) = match who.processor {
            Processor::Pack => ("reads", "tile_regs_wait", "releases"),
            Processor::Reader | Processor::Unpack | Processor::Math | Processor::Writer => {
                ("works on", "tile_regs_acquire", "commits")
            }
        };
        let name = who.processor;
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        let mut marks: Vec<Mark> = Vec::new();
        marks.extend(given.map(|site| mark(site, format!("{name} {give} its section"))));
        marks.push(mark(event.site, format!("{name} {verb} Dst and holds no section")));
        let proof = if given.is_some() {
            format!("proof: {name} called no `{take}` between (1) and (2)")
        } else {
            format!("proof: {name} has called no `{take}` in this run")
        };
        Finding {
            title: format!("{name} on core {} {verb} Dst outside a section", who.core),
            marks,
            facts: vec![proof, format!("cycle {}", event.cycle)],
            help: Some(format!("call `{take}` before it")),
            ..Finding::of(id)
        }
    });
}
