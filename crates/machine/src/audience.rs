//! Where observers run: on the thread that runs the cores, or on a thread of their own, so that
//! observing and simulating overlap.
//!
//! What they see and in which order is `pending`'s business, and the same in either place.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use crate::Cycle;
use crate::event::{Event, EventOrder, Observer};
use crate::lock::lock;
use crate::pending::{Batch, Pending};

/// Windows, or strides of one core, that observers may lag behind: memory that waits for them is
/// bounded.
const LAG: usize = 16;

/// The observers of a run.
pub(crate) struct Audience<'a, 'o> {
    /// What was recorded since the last showing.
    recorded: Mutex<Batch>,
    /// Whether events are shown as soon as a core has gone a stride, not at the end of a window:
    /// one thread runs all cores in order, and no observer asks for another order.
    is_core_by_core: bool,
    strides: Mutex<Strides>,
    place: Place<'a, 'o>,
}

enum Place<'a, 'o> {
    /// Called by the thread that runs the cores.
    Here(Mutex<(Pending, &'a mut [&'o mut dyn Observer])>),
    /// The channel to their thread, until the last batch, and the one back with emptied logs.
    Apart(Ways),
}

type Ways = Mutex<Option<(SyncSender<Showing>, Receiver<Batch>)>>;

/// What observers are sent.
enum Showing {
    /// What all cores have recorded, and the cycle up to which it can be shown.
    All(Batch, Cycle),
    /// Strides of cores, in order.
    Strides(Vec<Stride>),
}

/// What a core has recorded, and the cycle until which it has gone on.
struct Stride {
    core: u16,
    log: Vec<Event>,
    end: Cycle,
}

/// Strides on their way to observers.
#[derive(Default)]
struct Strides {
    all: Vec<Stride>,
    events: usize,
    /// Empty logs, with room.
    spare: Vec<Vec<Event>>,
}

/// Events that are worth a message.
const MESSAGE_EVENTS: usize = 256;

/// The observers on a thread of their own.
pub(crate) struct Seats<'a, 'o> {
    observers: &'a mut [&'o mut dyn Observer],
    full: Receiver<Showing>,
    empty: Sender<Batch>,
}

impl Seats<'_, '_> {
    /// Handles batches until the last.
    pub(crate) fn watch(self) {
        let mut pending = Pending::default();
        while let Ok(showing) = self.full.recv() {
            match showing {
                Showing::All(mut batch, end) => {
                    pending.take(&mut batch);
                    // After the last batch nobody needs the logs back.
                    let _ = self.empty.send(batch);
                    pending.show(end, self.observers);
                }
                Showing::Strides(mut strides) => {
                    for Stride { core, log, end } in &mut strides {
                        pending.show_core(*core, log, *end, self.observers);
                    }
                    let spare = strides.into_iter().map(|stride| stride.log);
                    let _ = self.empty.send(Batch::of_room(spare.collect()));
                }
            }
        }
    }
}

impl<'a, 'o> Audience<'a, 'o> {
    /// Observers on the one thread that runs the cores.
    pub(crate) fn here(observers: &'a mut [&'o mut dyn Observer]) -> Audience<'a, 'o> {
        let is_core_by_core = want_core_by_core(observers);
        let place = Place::Here(Mutex::new((Pending::default(), observers)));
        Audience { recorded: Mutex::default(), is_core_by_core, strides: Mutex::default(), place }
    }

    /// Observers on a thread that their seats are for; so many run the cores.
    pub(crate) fn apart(
        observers: &'a mut [&'o mut dyn Observer],
        threads: usize,
    ) -> (Audience<'a, 'o>, Seats<'a, 'o>) {
        let is_core_by_core = threads == 1 && want_core_by_core(observers);
        let (to_them, full) = sync_channel(LAG);
        let (empty, from_them) = channel();
        let place = Place::Apart(Mutex::new(Some((to_them, from_them))));
        let seats = Seats { observers, full, empty };
        (
            Audience {
                recorded: Mutex::default(),
                is_core_by_core,
                strides: Mutex::default(),
                place,
            },
            seats,
        )
    }

    /// Takes what a core has recorded, now that it has gone on until `end`.
    pub(crate) fn take(&self, core: u16, log: &mut Vec<Event>, end: Cycle) {
        if !self.is_core_by_core {
            if !log.is_empty() {
                lock(&self.recorded).add(core, log);
            }
            return;
        }
        match &self.place {
            Place::Here(here) => {
                let (pending, observers) = &mut *lock(here);
                pending.show_core(core, log, end, observers);
            }
            Place::Apart(ways) => {
                let strides = &mut *lock(&self.strides);
                // A new log grows no further than the last one.
                let empty = strides.spare.pop().unwrap_or_else(|| Vec::with_capacity(log.len()));
                strides.events += log.len();
                strides.all.push(Stride { core, log: std::mem::replace(log, empty), end });
                if strides.events >= MESSAGE_EVENTS {
                    strides.send(ways);
                }
            }
        }
    }

    /// Shows what was recorded for cycles before `end`, at the end of a window. A processor may
    /// have configured itself beyond it; those events wait for their time.
    pub(crate) fn show(&self, end: Cycle) {
        if !self.is_core_by_core {
            self.show_rest(end);
        }
    }

    /// Shows what has not been shown yet, for cycles before `end`.
    pub(crate) fn show_rest(&self, end: Cycle) {
        let recorded = &mut *lock(&self.recorded);
        match &self.place {
            Place::Here(here) => {
                let (pending, observers) = &mut *lock(here);
                pending.take(recorded);
                pending.show(end, observers);
            }
            Place::Apart(ways) => {
                lock(&self.strides).send(ways);
                send(ways, |room| Showing::All(std::mem::replace(recorded, room), end));
            }
        }
    }

    /// There are no further batches.
    fn dismiss(&self) {
        if let Place::Apart(ways) = &self.place {
            *lock(ways) = None;
        }
    }
}

impl Strides {
    fn send(&mut self, ways: &Ways) {
        let strides = std::mem::take(&mut self.all);
        self.events = 0;
        send(ways, |room| {
            self.spare.extend(room.into_spare());
            Showing::Strides(strides)
        });
    }
}

/// Sends observers what `showing` makes, given the room that they sent back.
fn send(ways: &Ways, showing: impl FnOnce(Batch) -> Showing) {
    let Some((to_them, from_them)) = &*lock(ways) else { return };
    let room = from_them.try_recv().unwrap_or_default();
    // If they have gone, a panic of theirs is told when their thread is joined.
    let _ = to_them.send(showing(room));
}

fn want_core_by_core(observers: &[&mut dyn Observer]) -> bool {
    observers.iter().all(|observer| observer.order() == EventOrder::CoreByCore)
}

/// Closes the channel to observers when the sending side ends, by a panic too.
pub(crate) struct Curtain<'e, 'a, 'o>(pub(crate) &'e Audience<'a, 'o>);

impl Drop for Curtain<'_, '_, '_> {
    fn drop(&mut self) {
        self.0.dismiss();
    }
}
