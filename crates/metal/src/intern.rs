//! Names that live as long as the process: sites and events hold them by reference.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The one copy of a text. Texts are few: files, waypoints, lines that a kernel prints.
pub fn intern(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let kept: &'static str = String::leak(text.to_owned());
    texts.insert(kept);
    kept
}
