//! Who fills and drains what: kernels, buffers and memories, learnt from what has happened.

use std::collections::BTreeMap;

use serde::Serialize;
use tilewright_machine::Processor;

use crate::timeline::{CoreLine, FarEnd, Ring, Stall, Timeline, TransferKind};

/// Kernels and buffers, and what went from one to the other over all cores.
#[derive(Serialize)]
pub(super) struct Graph {
    kernels: Vec<Kernel>,
    buffers: Vec<Buffer>,
    edges: Vec<Edge>,
}

#[derive(Serialize)]
struct Kernel {
    name: String,
    /// `reader`, `compute` or `writer`.
    role: &'static str,
    cores: usize,
}

#[derive(Serialize)]
struct Buffer {
    name: String,
    pages: u32,
    page_bytes: u32,
    format: &'static str,
}

/// From a node to a node: `k` and a kernel's number, `b` and a buffer's, or a memory's name.
#[derive(Serialize)]
struct Edge {
    from: String,
    to: String,
    /// How much; no pages at all where a kernel has looked at a buffer and never popped it.
    amount: u64,
    unit: &'static str,
    /// On how many cores the kernel waits here, and will for ever.
    stuck: usize,
}

pub(super) fn graph(timeline: &Timeline) -> Graph {
    let mut sums = Sums::default();
    for core in &timeline.cores {
        sums.core(core);
    }
    for total in &timeline.transfer_totals {
        let Some(core) = timeline.cores.iter().find(|core| core.core == total.owner.core) else {
            continue;
        };
        let Some(kernel) = sums.kernel(core, total.owner.processor) else { continue };
        let memory = match total.far {
            FarEnd::Dram => "DRAM".to_owned(),
            FarEnd::L1 => "other L1".to_owned(),
        };
        let (from, to) = match total.kind {
            TransferKind::Read => (memory, kernel),
            TransferKind::Write | TransferKind::Atomic => (kernel, memory),
        };
        *sums.edges.entry((from, to, "bytes")).or_default() += total.bytes;
    }
    let stuck = sums.stuck;
    let edge = |((from, to, unit), amount): ((String, String, &'static str), u64)| {
        let stuck = stuck.get(&(from.clone(), to.clone())).copied().unwrap_or(0);
        Edge { from, to, amount, unit, stuck }
    };
    Graph {
        kernels: sums.kernels,
        buffers: sums.buffers,
        edges: sums.edges.into_iter().map(edge).collect(),
    }
}

#[derive(Default)]
struct Sums {
    kernels: Vec<Kernel>,
    buffers: Vec<Buffer>,
    edges: BTreeMap<(String, String, &'static str), u64>,
    /// Waits that never end, by the ends of their edge.
    stuck: BTreeMap<(String, String), usize>,
}

impl Sums {
    fn core(&mut self, core: &CoreLine) {
        let mut counted: Vec<&str> = Vec::new();
        for lane in &core.lanes {
            let role = role(lane.processor);
            let is_same = |kernel: &&mut Kernel| kernel.name == lane.kernel && kernel.role == role;
            let is_new_here = !counted.contains(&role);
            counted.push(role);
            match self.kernels.iter_mut().find(is_same) {
                Some(kernel) => kernel.cores += usize::from(is_new_here),
                None => self.kernels.push(Kernel { name: lane.kernel.clone(), role, cores: 1 }),
            }
        }
        for ring in &core.rings {
            self.ring(core, ring);
        }
    }

    fn ring(&mut self, core: &CoreLine, ring: &Ring) {
        let known = self.buffers.iter().position(|buffer| buffer.name == ring.name);
        let buffer = known.unwrap_or_else(|| {
            self.buffers.push(Buffer {
                name: ring.name.clone(),
                pages: ring.config.pages,
                page_bytes: ring.config.page_bytes,
                format: ring.config.format.name(),
            });
            self.buffers.len() - 1
        });
        let buffer = format!("b{buffer}");
        for lane in &core.lanes {
            let Some(kernel) = self.kernel(core, lane.processor) else { continue };
            let processor = lane.processor as usize;
            let (into, out) = ((kernel.clone(), buffer.clone()), (buffer.clone(), kernel));
            let is_stuck = |stall: Stall| lane.stuck == Some(stall);
            let (for_space, for_pages) =
                (is_stuck(Stall::Space(ring.config.id)), is_stuck(Stall::Pages(ring.config.id)));
            if ring.pushed[processor] > 0 || for_space {
                self.edge(into, ring.pushed[processor], for_space);
            }
            if ring.popped[processor] > 0 || ring.seen[processor] || for_pages {
                self.edge(out, ring.popped[processor], for_pages);
            }
        }
    }

    fn edge(&mut self, (from, to): (String, String), pages: u64, is_stuck: bool) {
        *self.edges.entry((from.clone(), to.clone(), "pages")).or_default() += pages;
        if is_stuck {
            *self.stuck.entry((from, to)).or_default() += 1;
        }
    }

    /// The node of the kernel that a processor of a core runs.
    fn kernel(&self, core: &CoreLine, processor: Processor) -> Option<String> {
        let lane = core.lanes.iter().find(|lane| lane.processor == processor)?;
        let role = role(processor);
        let is_it = |kernel: &Kernel| kernel.name == lane.kernel && kernel.role == role;
        self.kernels.iter().position(is_it).map(|number| format!("k{number}"))
    }
}

fn role(processor: Processor) -> &'static str {
    match processor {
        Processor::Reader => "reader",
        Processor::Unpack | Processor::Math | Processor::Pack => "compute",
        Processor::Writer => "writer",
    }
}
