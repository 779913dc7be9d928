//! Observers and where they sit: on the thread that runs the cores, or on one of their own, so that
//! watching and running go on side by side.
//!
//! What they see and in which order is `pending`'s business, and the same in either place.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use crate::Cycle;
use crate::event::{Event, Observer};
use crate::lock::lock;
use crate::pending::{Batch, Pending};

/// Windows, or strides of long ones, that observers may lag behind: memory that waits for them is
/// bounded.
const LAG: usize = 4;

/// Whoever watches a run.
pub(crate) struct Audience<'a, 'o> {
    /// What was recorded since the last showing.
    recorded: Mutex<Batch>,
    place: Place<'a, 'o>,
}

enum Place<'a, 'o> {
    /// Shown to by the thread that runs the cores.
    Here(Mutex<(Pending, &'a mut [&'o mut dyn Observer])>),
    /// A way to their thread, until the last showing, and back from it with emptied room.
    Apart(Mutex<Option<(SyncSender<Showing>, Receiver<Batch>)>>),
}

/// What was recorded, and the cycle up to which it can be shown.
type Showing = (Batch, Cycle);

/// The observers on a thread of their own.
pub(crate) struct Seats<'a, 'o> {
    observers: &'a mut [&'o mut dyn Observer],
    full: Receiver<Showing>,
    empty: Sender<Batch>,
}

impl Seats<'_, '_> {
    /// Watches until the last showing.
    pub(crate) fn watch(self) {
        let mut pending = Pending::default();
        while let Ok((mut batch, end)) = self.full.recv() {
            pending.take(&mut batch);
            // After the last showing nobody wants the room back.
            let _ = self.empty.send(batch);
            pending.show(end, self.observers);
        }
    }
}

impl<'a, 'o> Audience<'a, 'o> {
    /// Observers on the thread that runs the cores.
    pub(crate) fn here(observers: &'a mut [&'o mut dyn Observer]) -> Audience<'a, 'o> {
        let place = Place::Here(Mutex::new((Pending::default(), observers)));
        Audience { recorded: Mutex::default(), place }
    }

    /// Observers on a thread that their seats are for.
    pub(crate) fn apart(
        observers: &'a mut [&'o mut dyn Observer],
    ) -> (Audience<'a, 'o>, Seats<'a, 'o>) {
        let (to_them, full) = sync_channel(LAG);
        let (empty, from_them) = channel();
        let place = Place::Apart(Mutex::new(Some((to_them, from_them))));
        let seats = Seats { observers, full, empty };
        (Audience { recorded: Mutex::default(), place }, seats)
    }

    /// Takes what a core has recorded.
    pub(crate) fn take(&self, core: u16, log: &mut Vec<Event>) {
        lock(&self.recorded).add(core, log);
    }

    /// Shows what was recorded for cycles before `end`. A processor may have configured itself
    /// beyond it; those events wait for their time.
    pub(crate) fn show(&self, end: Cycle) {
        let recorded = &mut *lock(&self.recorded);
        match &self.place {
            Place::Here(here) => {
                let (pending, observers) = &mut *lock(here);
                pending.take(recorded);
                pending.show(end, observers);
            }
            Place::Apart(ways) => {
                let Some((to_them, from_them)) = &*lock(ways) else { return };
                let room = from_them.try_recv().unwrap_or_default();
                // If they have gone, a panic of theirs is told when their thread is joined.
                let _ = to_them.send((std::mem::replace(recorded, room), end));
            }
        }
    }

    /// There is no further showing.
    fn dismiss(&self) {
        if let Place::Apart(ways) = &self.place {
            *lock(ways) = None;
        }
    }
}

/// Lets observers go when whoever shows to them ends, in whatever way.
pub(crate) struct Curtain<'e, 'a, 'o>(pub(crate) &'e Audience<'a, 'o>);

impl Drop for Curtain<'_, '_, '_> {
    fn drop(&mut self) {
        self.0.dismiss();
    }
}
