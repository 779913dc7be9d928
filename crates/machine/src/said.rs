//! The output of kernels, kept until the run is over: printed lines, waypoints and zones.
//!
//! It needs no observer and is bounded: what is dropped is counted.

use crate::event::{Event, EventKind};
use crate::processor::ProcessorId;

/// Edges of zones, and waypoints, that are kept of a processor.
const EDGES_MAX: u32 = 512;

/// Output of a processor that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// Who.
    pub processor: ProcessorId,
    /// Lines that it printed, and waypoints.
    pub lines: u64,
    /// Beginnings and ends of zones.
    pub edges: u64,
}

/// The output of kernels, in order of cycle, core and sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// `Printed` with a text, `Waypoint` and `Zone`.
    pub events: Vec<Event>,
    /// Processors with more output than is kept.
    pub omitted: Vec<Omitted>,
    /// Edges of zones and waypoints that are kept, by processor of a core.
    edges: [u32; 5],
}

impl Said {
    /// Keeps an event if it is output and there is room.
    pub(crate) fn add(&mut self, event: Event) {
        let by = event.processor;
        if let EventKind::Printed { text } = event.kind {
            match text {
                Some(_) => self.events.push(event),
                None => self.omitted_of(by).lines += 1,
            }
        }
        if let EventKind::Waypoint { .. } = event.kind {
            let edges = &mut self.edges[by.processor.index()];
            if *edges < EDGES_MAX {
                *edges += 1;
                self.events.push(event);
            } else {
                self.omitted_of(by).lines += 1;
            }
        }
        if let EventKind::Zone { .. } = event.kind {
            let edges = &mut self.edges[by.processor.index()];
            if *edges < EDGES_MAX {
                *edges += 1;
                self.events.push(event);
            } else {
                self.omitted_of(by).edges += 1;
            }
        }
    }

    fn omitted_of(&mut self, processor: ProcessorId) -> &mut Omitted {
        let known = self.omitted.iter().position(|it| it.processor == processor);
        let place = known.unwrap_or_else(|| {
            self.omitted.push(Omitted { processor, lines: 0, edges: 0 });
            self.omitted.len() - 1
        });
        &mut self.omitted[place]
    }

    /// The output of several cores.
    pub(crate) fn joined(parts: impl IntoIterator<Item = Said>) -> Said {
        let mut all = Said::default();
        for part in parts {
            all.events.extend(part.events);
            all.omitted.extend(part.omitted);
        }
        // Stable: what one core said in a cycle stays in its order.
        all.events.sort_by_key(|event| event.cycle);
        all
    }
}
