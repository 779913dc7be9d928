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
    /// When the events of one core happened, and their places in its log.
    places: Vec<(Cycle, u32)>,
}

/// Steps that events may be away from their places on average: beyond it sorting is faster.
const MOVES: usize = 16;

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
    /// core after core. The cores of a window come in order. Leaves the log empty.
    pub(crate) fn show_core(
        &mut self,
        core: u16,
        log: &mut Vec<Event>,
        end: Cycle,
        observers: &mut [&mut dyn Observer],
    ) {
        // What the core has recorded for later before this comes first.
        if let Some(place) = self.batch.logs.iter().position(|(of, _)| *of == core) {
            let (_, mut earlier) = self.batch.logs.swap_remove(place);
            earlier.append(log);
            std::mem::swap(log, &mut earlier);
            self.batch.spare.push(earlier);
        }
        self.arrange_core(log, end);
        for observer in observers {
            self.places.iter().for_each(|(_, at)| observer.event(&log[*at as usize]));
        }
        if self.places.len() < log.len() {
            let mut later = self.batch.spare.pop().unwrap_or_default();
            later.extend(log.iter().filter(|event| event.cycle >= end));
            self.batch.logs.push((core, later));
        }
        log.clear();
    }

    /// Puts the events of one core in order. They nearly are: most go to the end of what is there.
    fn arrange_core(&mut self, log: &[Event], end: Cycle) {
        let places = &mut self.places;
        places.clear();
        let mut moves_left = MOVES * log.len();
        for (at, event) in (0_u32..).zip(log).filter(|(_, event)| event.cycle < end) {
            let mut place = places.len();
            places.push((event.cycle, at));
            while place > 0 && places[place - 1].0 > event.cycle && moves_left > 0 {
                places[place] = places[place - 1];
                place -= 1;
                moves_left -= 1;
            }
            places[place] = (event.cycle, at);
        }
        if moves_left == 0 {
            places.sort_unstable();
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Site;
    use crate::event::EventKind;
    use crate::grid::CoreCoord;
    use crate::processor::{Processor, ProcessorId};
    use crate::units::CbId;

    /// Keeps the cycle and the number of each event.
    #[derive(Default)]
    struct Seen(Vec<(u64, u32)>);

    impl Observer for Seen {
        fn event(&mut self, event: &Event) {
            let EventKind::Pushed { pages, .. } = event.kind else { return };
            self.0.push((event.cycle.0, pages));
        }
    }

    fn event(cycle: u64, number: u32) -> Event {
        let processor = ProcessorId { core: CoreCoord::new(0, 0), processor: Processor::Reader };
        let kind = EventKind::Pushed { cb: CbId(0), pages: number };
        Event { cycle: Cycle(cycle), processor, site: Site::KERNEL, kind }
    }

    /// Whether they were recorded a little out of order or far, and for which stride.
    #[test]
    fn a_cores_events_are_shown_by_cycle_and_then_as_they_were_recorded() {
        for ahead in [1, 40, 4_000] {
            let (mut pending, mut seen, mut all, mut state) =
                (Pending::default(), Seen::default(), Vec::new(), 1_u64);
            let mut next = |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % below
            };
            for stride in 0..40 {
                let mut log = Vec::new();
                for _ in 0..next(60) {
                    let cycle = 100 * stride + next(100) + next(2) * next(ahead);
                    all.push((cycle, all.len() as u32));
                    log.push(event(cycle, all.len() as u32 - 1));
                }
                let end = Cycle(100 * (stride + 1));
                pending.show_core(0, &mut log, end, &mut [&mut seen]);
                assert!(log.is_empty() && seen.0.iter().all(|(cycle, _)| *cycle < end.0));
            }
            pending.show_core(0, &mut Vec::new(), Cycle::NEVER, &mut [&mut seen]);
            all.sort_unstable();
            assert_eq!(seen.0, all, "{ahead} cycles ahead");
        }
    }
}
