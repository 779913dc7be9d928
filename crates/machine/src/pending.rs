//! Events between the cores that record them and the observers who see them in order.

use crate::Cycle;
use crate::event::{Event, EventOrder, Observer};

/// Events as they were recorded, and the core of each.
#[derive(Default)]
pub(crate) struct Batch {
    events: Vec<Event>,
    cores: Vec<u16>,
}

impl Batch {
    /// Adds what a core has recorded.
    pub(crate) fn add(&mut self, core: u16, log: &mut Vec<Event>) {
        self.cores.resize(self.cores.len() + log.len(), core);
        self.events.append(log);
    }

    fn append(&mut self, other: &mut Batch) {
        self.cores.append(&mut other.cores);
        self.events.append(&mut other.events);
    }
}

/// Events that wait to be shown. They are large: keys of their places are sorted, not they.
#[derive(Default)]
pub(crate) struct Pending {
    batch: Batch,
    keys: Vec<Key>,
    /// Those that have to wait, while the others are shown.
    later: Batch,
}

/// What orders an event, and its place, in one number: compared in one step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Key {
    fn new(order: EventOrder, cycle: Cycle, core: u16, place: usize) -> Key {
        let (cycle, core, place) = (u128::from(cycle.0), u128::from(core), place as u128);
        match order {
            EventOrder::Time => Key(cycle << 64 | core << 48 | place),
            EventOrder::CoreByCore => Key(core << 112 | cycle << 48 | place),
        }
    }

    fn place(self) -> usize {
        (self.0 & ((1 << 48) - 1)) as usize
    }
}

impl Pending {
    /// Takes what was recorded and leaves its room empty.
    pub(crate) fn take(&mut self, batch: &mut Batch) {
        if self.batch.events.is_empty() {
            std::mem::swap(&mut self.batch, batch);
        } else {
            self.batch.append(batch);
        }
    }

    /// Shows each observer the events before `end`, in the order it asks for.
    pub(crate) fn show(&mut self, end: Cycle, observers: &mut [&mut dyn Observer]) {
        for order in [EventOrder::Time, EventOrder::CoreByCore] {
            if observers.iter().any(|observer| observer.order() == order) {
                self.arrange(order, end);
                let events = &self.batch.events;
                for observer in observers.iter_mut().filter(|it| it.order() == order) {
                    self.keys.iter().for_each(|key| observer.event(&events[key.place()]));
                }
            }
        }
        let Batch { events, cores } = &mut self.batch;
        let is_later = |(event, _): &(&Event, &u16)| event.cycle >= end;
        for (event, core) in events.iter().zip(&*cores).filter(is_later) {
            self.later.events.push(*event);
            self.later.cores.push(*core);
        }
        events.clear();
        cores.clear();
        std::mem::swap(&mut self.batch, &mut self.later);
    }

    fn arrange(&mut self, order: EventOrder, end: Cycle) {
        self.keys.clear();
        let all = self.batch.cores.iter().zip(&self.batch.events).enumerate();
        let due = all.filter(|(_, (_, event))| event.cycle < end);
        let keys = due.map(|(place, (core, event))| Key::new(order, event.cycle, *core, place));
        self.keys.extend(keys);
        self.keys.sort_unstable();
    }
}
