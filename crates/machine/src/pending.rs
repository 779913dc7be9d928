//! Events between the cores that record them and the observers who see them in order.

use crate::Cycle;
use crate::event::{Event, EventOrder, Observer};

/// What cores have recorded: events are large, so that whole logs change hands.
#[derive(Default)]
pub(crate) struct Batch {
    logs: Vec<(u16, Vec<Event>)>,
    /// Empty logs, with room.
    spare: Vec<Vec<Event>>,
}

impl Batch {
    /// Takes what a core has recorded, and leaves it an empty log.
    pub(crate) fn add(&mut self, core: u16, log: &mut Vec<Event>) {
        // A new log grows no further than the last one.
        let empty = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(log.len()));
        self.logs.push((core, std::mem::replace(log, empty)));
    }

    /// Nothing recorded, and empty logs.
    pub(crate) fn of_room(spare: Vec<Vec<Event>>) -> Batch {
        Batch { logs: Vec::new(), spare }
    }

    /// The empty logs.
    pub(crate) fn into_spare(self) -> Vec<Vec<Event>> {
        self.spare
    }
}

/// Events that wait to be shown: keys of their places are sorted, not they.
#[derive(Default)]
pub(crate) struct Pending {
    batch: Batch,
    keys: Vec<Key>,
    /// Room for logs that are set aside.
    others: Vec<(u16, Vec<Event>)>,
}

/// What orders an event, and its place, in one number: compared in one step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Key {
    fn new(order: EventOrder, cycle: Cycle, core: u16, (log, event): (u16, u32)) -> Key {
        let (cycle, core) = (u128::from(cycle.0), u128::from(core));
        let place = u128::from(log) << 32 | u128::from(event);
        match order {
            EventOrder::Time => Key(cycle << 64 | core << 48 | place),
            EventOrder::CoreByCore => Key(core << 112 | cycle << 48 | place),
        }
    }

    /// The event's log, and its place in it.
    fn place(self) -> (usize, usize) {
        (usize::from((self.0 >> 32) as u16), self.0 as u32 as usize)
    }
}

impl Pending {
    /// Takes what was recorded, and gives back what room there is.
    pub(crate) fn take(&mut self, batch: &mut Batch) {
        self.batch.logs.append(&mut batch.logs);
        batch.spare.append(&mut self.batch.spare);
    }

    /// Takes what a core has recorded and shows it, up to `end`, to observers who all want to see
    /// core after core. The cores of a window come in order.
    pub(crate) fn show_core(
        &mut self,
        core: u16,
        log: &mut Vec<Event>,
        end: Cycle,
        observers: &mut [&mut dyn Observer],
    ) {
        if !log.is_empty() {
            self.batch.add(core, log);
        }
        // What other cores have recorded for later waits for its turn.
        let mut others = std::mem::take(&mut self.others);
        others.extend(self.batch.logs.extract_if(.., |(of, _)| *of != core));
        self.show(end, observers);
        self.batch.logs.append(&mut others);
        self.others = others;
    }

    /// Shows each observer the events before `end`, in the order it asks for.
    pub(crate) fn show(&mut self, end: Cycle, observers: &mut [&mut dyn Observer]) {
        for order in [EventOrder::Time, EventOrder::CoreByCore] {
            if observers.iter().any(|observer| observer.order() == order) {
                self.arrange(order, end);
                for observer in observers.iter_mut().filter(|it| it.order() == order) {
                    self.show_to(*observer);
                }
            }
        }
        let mut later = Vec::new();
        for (core, mut log) in self.batch.logs.drain(..) {
            log.retain(|event| event.cycle >= end);
            if log.is_empty() {
                self.batch.spare.push(log);
            } else {
                later.push((core, log));
            }
        }
        self.batch.logs = later;
    }

    fn show_to(&self, observer: &mut dyn Observer) {
        for key in &self.keys {
            let (log, event) = key.place();
            observer.event(&self.batch.logs[log].1[event]);
        }
    }

    fn arrange(&mut self, order: EventOrder, end: Cycle) {
        self.keys.clear();
        for (number, (core, log)) in (0_u16..).zip(&self.batch.logs) {
            let due = (0_u32..).zip(log).filter(|(_, event)| event.cycle < end);
            let key =
                |(at, event): (u32, &Event)| Key::new(order, event.cycle, *core, (number, at));
            self.keys.extend(due.map(key));
        }
        if !self.keys.is_sorted() {
            self.keys.sort_unstable();
        }
    }
}
