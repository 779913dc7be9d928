//! A run as a Perfetto trace in simulated time, for ui.perfetto.dev.
//!
//! A core is a process, a processor a thread: a slice for its kernel, and in it slices of work, by
//! the names of their calls, and of waits. Findings and what kernels print are instants. Networks
//! are tracks of transfers, joined by flows to the calls that caused them; circular buffers are
//! counters. A cycle is a nanosecond; all cycles are estimates.

mod said;
mod trace;
mod wire;

use std::collections::BTreeMap;

use tilewright_machine::{CoreCoord, NocId, Site};

use crate::record::Run;
use crate::timeline::{CoreLine, Lane, Timeline, Transfer};
use trace::{Note, Slice, Trace, Track};

/// The trace of a run's programs, one after the other, with what its record says about them.
pub fn perfetto(timelines: &[Timeline], run: Option<&Run>) -> Vec<u8> {
    let mut drawing = Drawing::default();
    for timeline in timelines {
        drawing.timeline(timeline);
    }
    if let Some(run) = run {
        drawing.said(run, timelines);
    }
    drawing.trace.into_bytes()
}

/// A track's number is its core's number, shifted, and what it is on the core.
const CORE_SHIFT: u32 = 20;
const NOC_TRACKS: u64 = 0x1_0000;
const NOC_LANES: u64 = 0x1000;
const ARRIVALS: u64 = 0x4_0000;
const RINGS: u64 = 0x5_0000;
const SAID: u64 = 0x6_0000;

#[derive(Default)]
struct Drawing {
    trace: Trace,
    /// The cores seen so far; a core that several programs use is one process.
    cores: BTreeMap<CoreCoord, u64>,
    known: std::collections::BTreeSet<Track>,
    flows: u64,
}

/// Flows that leave a call, by core, processor and cycle.
type Calls = BTreeMap<(CoreCoord, usize), Vec<(u64, u64)>>;

impl Drawing {
    fn timeline(&mut self, timeline: &Timeline) {
        for core in &timeline.cores {
            self.core(core.core);
        }
        let first_flow = self.flows;
        let calls = self.calls(timeline);
        for core in &timeline.cores {
            for lane in &core.lanes {
                let mut none = Vec::new();
                let key = (core.core, lane.processor as usize);
                let mut leaving = calls.get(&key).cloned();
                let leaving = leaving.as_mut().unwrap_or(&mut none);
                self.lane(timeline, core, lane, leaving);
            }
            self.rings(timeline, core);
        }
        self.transfers(timeline, first_flow);
    }

    /// A flow for each transfer, by the processor that asked for it, in the order of the calls.
    fn calls(&mut self, timeline: &Timeline) -> Calls {
        let mut calls = Calls::new();
        for transfer in &timeline.transfers {
            self.flows += 1;
            let key = (transfer.owner.core, transfer.owner.processor as usize);
            calls.entry(key).or_default().push((transfer.begin, self.flows));
        }
        calls.values_mut().for_each(|calls| calls.sort_unstable());
        calls
    }

    /// The core's process, described when it is first seen.
    fn core(&mut self, core: CoreCoord) -> (Track, u64) {
        let next = self.cores.len() as u64 + 1;
        let pid = *self.cores.entry(core).or_insert(next);
        let track = Track(pid << CORE_SHIFT);
        if self.known.insert(track) {
            self.trace.process(track, pid, &format!("core {core}"));
        }
        (track, pid)
    }

    /// A processor: its kernel, and in it what it did. `leaving` are flows by the cycle of their
    /// call, in order; each leaves from the slice in which its call ended.
    fn lane(
        &mut self,
        timeline: &Timeline,
        core: &CoreLine,
        lane: &Lane,
        leaving: &mut Vec<(u64, u64)>,
    ) {
        let (process, pid) = self.core(core.core);
        let track = Track(process.0 + 1 + lane.processor as u64);
        if self.known.insert(track) {
            let tid = (pid << 3) + 1 + lane.processor as u64;
            self.trace.thread(track, process, (pid, tid), lane.processor.name());
        }
        let at = |cycle: u64| timeline.start + cycle;
        let name = format!("{} / {}", timeline.program, lane.kernel);
        self.trace.begin(track, at(lane.begun), &Slice { name: &name, ..Slice::default() });
        let mut leaving = leaving.drain(..).peekable();
        for slice in &lane.slices {
            let mut flows = Vec::new();
            while let Some((_, flow)) = leaving.next_if(|(cycle, _)| *cycle <= slice.end) {
                flows.push(flow);
            }
            let doing = slice.doing.describe(|cb| core.buffer_name(cb));
            let name = if slice.doing.is_stall() { format!("wait: {doing}") } else { doing };
            let given = slice.given.notes(|cb| core.buffer_name(cb));
            let mut notes: Vec<Note<'_>> =
                given.iter().map(|(name, value)| Note::Text(name, value)).collect();
            if slice.joined > 1 {
                notes.push(Note::Number("joined slices", u64::from(slice.joined)));
            }
            let shown = Slice {
                name: &name,
                site: Some(slice.site).filter(|site| *site != Site::KERNEL),
                flows: &flows,
                notes: &notes,
                ..Slice::default()
            };
            self.trace.begin(track, at(slice.begin), &shown);
            self.trace.end(track, at(slice.end));
        }
        let end = lane.slices.last().map_or(lane.begun, |slice| slice.end);
        self.trace.end(track, at(end));
    }

    fn rings(&mut self, timeline: &Timeline, core: &CoreLine) {
        let (process, _) = self.core(core.core);
        for ring in &core.rings {
            let track = Track(process.0 + RINGS + u64::from(ring.config.id.0));
            if self.known.insert(track) {
                self.trace.counter(track, process, &ring.name, "pages");
            }
            for level in &ring.levels {
                self.trace.value(track, timeline.start + level.cycle, u64::from(level.pages));
            }
        }
    }

    /// Transfers, each on the first track of its network that is free, and their arrivals.
    fn transfers(&mut self, timeline: &Timeline, first_flow: u64) {
        let flow = |index: usize| first_flow + 1 + index as u64;
        let mut order: Vec<usize> = (0..timeline.transfers.len()).collect();
        order.sort_by_key(|index| timeline.transfers[*index].begin);
        let mut free: BTreeMap<(CoreCoord, NocId), Vec<u64>> = BTreeMap::new();
        let mut arrivals: Vec<(CoreCoord, u64, u64, usize)> = Vec::new();
        for index in order {
            let transfer = &timeline.transfers[index];
            let lanes = free.entry((transfer.owner.core, transfer.noc)).or_default();
            let lane = lanes.iter().position(|until| *until <= transfer.begin);
            let lane = lane.unwrap_or_else(|| {
                lanes.push(0);
                lanes.len() - 1
            });
            lanes[lane] = transfer.end;
            let onward = self.transfer(timeline, transfer, lane, flow(index));
            let reached = transfer.arrivals.iter();
            arrivals.extend(reached.map(|(core, cycle)| (*core, *cycle, onward, index)));
        }
        arrivals.sort_by_key(|(core, cycle, ..)| (*cycle, *core));
        for (core, cycle, onward, index) in arrivals {
            self.arrival(core, timeline.start + cycle, onward, &timeline.transfers[index]);
        }
    }

    /// A transfer; gives the flow that goes on to its arrivals.
    fn transfer(
        &mut self,
        timeline: &Timeline,
        transfer: &Transfer,
        lane: usize,
        flow: u64,
    ) -> u64 {
        let (process, _) = self.core(transfer.owner.core);
        let noc = transfer.noc as u64;
        let track = Track(process.0 + NOC_TRACKS + noc * NOC_LANES + lane as u64);
        if self.known.insert(track) {
            self.trace.lane(track, process, &format!("NoC {noc}"));
        }
        let name = format!("{} {}", transfer.kind.name(), transfer.place);
        let notes = [
            Note::Number("bytes", u64::from(transfer.bytes)),
            Note::Text("processor", transfer.owner.processor.name()),
        ];
        self.flows += u64::from(!transfer.arrivals.is_empty());
        let onward = [self.flows];
        let slice = Slice {
            name: &name,
            site: Some(transfer.site),
            flows: if transfer.arrivals.is_empty() { &[] } else { &onward },
            last_flows: &[flow],
            notes: &notes,
        };
        self.trace.begin(track, timeline.start + transfer.begin, &slice);
        self.trace.end(track, timeline.start + transfer.end);
        onward[0]
    }

    fn arrival(&mut self, core: CoreCoord, time: u64, flow: u64, transfer: &Transfer) {
        let (process, _) = self.core(core);
        let track = Track(process.0 + ARRIVALS);
        if self.known.insert(track) {
            self.trace.lane(track, process, "arrivals");
        }
        let name = format!("{} of {}", transfer.kind.name(), transfer.owner.core);
        // A multicast reaches several cores, so the flow is not closed here.
        let slice = Slice { name: &name, flows: &[flow], ..Slice::default() };
        self.trace.begin(track, time, &slice);
        self.trace.end(track, time);
    }
}
