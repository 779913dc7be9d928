//! Locks whose holder may have panicked: the panic is told where its thread is joined.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, whatever became of the last holder.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
