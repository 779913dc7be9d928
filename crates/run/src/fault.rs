//! Faults of the simulator itself: panics outside kernels, whose own panics are findings.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use crate::record::Failure;

/// The first panic of this process outside kernels.
static FAULT: Mutex<Option<String>> = Mutex::new(None);

/// Keeps panics from the terminal; `attempt` reports them as any other failure.
pub fn catch_faults() {
    std::panic::set_hook(Box::new(move |info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "no message".to_owned());
        let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
        let text = format!("{text}{}", place.unwrap_or_default());
        FAULT.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }));
}

/// Does work; a panic becomes a failure.
pub fn attempt<Done>(work: impl FnOnce() -> Result<Done, Failure>) -> Result<Done, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let first = FAULT.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Err(failed(&first.unwrap_or_else(|| "no message".to_owned())))
    })
}

/// A fault of the simulator as a failure.
pub(crate) fn failed(what: &str) -> Failure {
    Failure::new(format!("the simulator itself failed: {what}"))
        .help("this is a bug of tilewright; please report it with the command you gave")
}
