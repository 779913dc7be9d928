//! Tells a front end which stage a long run is in, and for how long it has been running.
//!
//! Knows no total: how many cycles a run takes is known only when it has ended.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::progress::{FrontEnd, Progress};

/// How often the line is drawn anew.
const PERIOD: Duration = Duration::from_millis(250);

/// A thread that repeats the stage until it is dropped; none where nobody watches.
pub(crate) struct Stages {
    stage: Arc<Mutex<&'static str>>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Stages {
    /// Begins with a stage; the line comes after a second.
    pub(crate) fn new(front: &Arc<dyn FrontEnd>, first: &'static str) -> Stages {
        let stage = Arc::new(Mutex::new(first));
        let progress = Progress::new(front);
        let drawing = progress.is_shown().then(|| {
            let (end, ended) = mpsc::channel();
            let stage = Arc::clone(&stage);
            let draw = move || {
                while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                    let stage = *stage.lock().unwrap_or_else(PoisonError::into_inner);
                    progress.stage(stage);
                }
            };
            (end, std::thread::spawn(draw))
        });
        Stages { stage, drawing }
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
