//! Locks that ignore poisoning: a panic is reported where its thread is joined.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, even if the last holder panicked.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
