//! How far a simulation is: the share of the outputs' bytes that kernels have written.
//!
//! An estimate for a line of progress; no result depends on it. A run without tools has no events
//! to count, and shows its time alone.

use std::sync::atomic::{AtomicU64, Ordering};

use tilewright_machine::{Event, EventKind, EventOrder, Observer, Target};
use tilewright_metal::{Buffer, Program};

/// Bytes of outputs: those that are written, of all.
#[derive(Debug, Default)]
pub(crate) struct Share {
    written: AtomicU64,
    all: AtomicU64,
}

impl Share {
    /// What the outputs of programs have in all.
    pub(crate) fn expect(&self, programs: &[Program]) {
        let bytes = |it: &Buffer| u64::from(it.pages) * u64::from(it.page_bytes);
        let all = programs.iter().flat_map(outputs).map(|it| bytes(&it)).sum();
        self.all.store(all, Ordering::Relaxed);
    }

    /// Bytes that are written, of all; nothing before the first.
    pub(crate) fn now(&self) -> Option<(u64, u64)> {
        let written = self.written.load(Ordering::Relaxed);
        let all = self.all.load(Ordering::Relaxed);
        // What is written again does not count beyond the end.
        (written > 0 && all > 0).then(|| (written.min(all), all))
    }
}

/// An observer whose events are also looked at for writes to a program's outputs.
pub(crate) struct Counting<'a> {
    inner: &'a mut dyn Observer,
    outputs: Vec<Buffer>,
    share: &'a Share,
}

impl<'a> Counting<'a> {
    pub(crate) fn new(
        inner: &'a mut dyn Observer,
        program: &Program,
        share: &'a Share,
    ) -> Counting<'a> {
        Counting { inner, outputs: outputs(program).collect(), share }
    }
}

impl Observer for Counting<'_> {
    fn event(&mut self, event: &Event) {
        if let EventKind::WriteIssued { to: Target::One(at), bytes, .. } = event.kind {
            let is_inside =
                |it: &Buffer| it.page_at(at).is_some_and(|(page, _)| page < u64::from(it.pages));
            if self.outputs.iter().any(is_inside) {
                self.share.written.fetch_add(u64::from(bytes), Ordering::Relaxed);
            }
        }
        self.inner.event(event);
    }

    fn order(&self) -> EventOrder {
        self.inner.order()
    }
}

fn outputs(program: &Program) -> impl Iterator<Item = Buffer> + '_ {
    program.declarations().outputs.iter().map(|it| it.tensor.buffer)
}
