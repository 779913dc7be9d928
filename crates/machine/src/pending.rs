//! Events between the cores that record them and the observers who see them in order.

use crate::Cycle;
use crate::event::{Event, Observer};

/// Events with what orders them. Events are large: their places are sorted, not they.
#[derive(Default)]
pub(crate) struct Pending {
    events: Vec<Event>,
    /// Cycle, core and place of each, in the order of their places until they are shown.
    order: Vec<(Cycle, u16, u32)>,
    /// Those that have to wait, while the others are shown.
    later: Vec<(u16, Event)>,
}

impl Pending {
    /// Takes what a core has recorded.
    pub(crate) fn take(&mut self, core: u16, log: &mut Vec<Event>) {
        let first = self.events.len() as u32;
        let place = |(event, place): (&Event, u32)| (event.cycle, core, place);
        self.order.extend(log.iter().zip(first..).map(place));
        self.events.append(log);
    }

    /// Shows the events before `end`, ordered by cycle, core and sequence.
    pub(crate) fn show(&mut self, end: Cycle, observers: &mut [&mut dyn Observer]) {
        // Each core's events are in order already, or nearly so: a merge makes use of that.
        self.order.sort();
        let due = self.order.partition_point(|(cycle, ..)| *cycle < end);
        for observer in observers {
            for (.., place) in &self.order[..due] {
                observer.event(&self.events[*place as usize]);
            }
        }
        let later = &self.order[due..];
        self.later.extend(later.iter().map(|(_, core, at)| (*core, self.events[*at as usize])));
        self.events.clear();
        self.order.clear();
        for (place, (core, event)) in (0..).zip(self.later.drain(..)) {
            self.order.push((event.cycle, core, place));
            self.events.push(event);
        }
    }
}
