//! A line on a terminal that says what a long run is at, and for how long it has been running.
//!
//! Knows no total: how many cycles a run takes is known when it has ended.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::output::Progress;

/// How often the line is drawn anew.
const PERIOD: Duration = Duration::from_millis(250);

/// The line, until it is dropped. Where there is no terminal there is none.
pub struct Stages {
    stage: Arc<Mutex<&'static str>>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Stages {
    /// Begins with a stage; the line comes after a second.
    pub fn new(first: &'static str) -> Stages {
        let stage = Arc::new(Mutex::new(first));
        let progress = Progress::new();
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
    pub fn next(&self, stage: &'static str) {
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
