//! Tells a front end which stage a long run is in: how far it is where that is known, and for how
//! long it has been running where it is not.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::progress::{FrontEnd, Progress};
use crate::share::Share;

/// How often the line is drawn anew.
const PERIOD: Duration = Duration::from_millis(250);

/// The stage of which the share is known.
pub(crate) const SIMULATING: &str = "simulating";

/// A thread that repeats the stage until it is dropped; none where nobody watches.
pub(crate) struct Stages {
    stage: Arc<Mutex<&'static str>>,
    share: Arc<Share>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Stages {
    /// Begins with a stage; the line comes after a second.
    pub(crate) fn new(front: &Arc<dyn FrontEnd>, first: &'static str) -> Stages {
        let stage = Arc::new(Mutex::new(first));
        let share = Arc::new(Share::default());
        let progress = Progress::new(front);
        let drawing = progress.is_shown().then(|| {
            let (end, ended) = mpsc::channel();
            let (stage, share) = (Arc::clone(&stage), Arc::clone(&share));
            let draw = move || {
                while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                    let stage = *stage.lock().unwrap_or_else(PoisonError::into_inner);
                    match share.now().filter(|_| stage == SIMULATING) {
                        Some(share) => progress.share(stage, share),
                        None => progress.stage(stage),
                    }
                }
            };
            (end, std::thread::spawn(draw))
        });
        Stages { stage, share, drawing }
    }

    /// Where a simulation leaves how far it is, if somebody sees it.
    pub(crate) fn share(&self) -> Option<&Share> {
        self.drawing.as_ref().map(|_| &*self.share)
    }

    /// Goes on to another stage.
    pub(crate) fn next(&self, stage: &'static str) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.drawing.take() {
            drop(end);
            // A line that could not be drawn is no reason to fail.
            drop(thread.join());
        }
    }
}
