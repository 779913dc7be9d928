//! Who runs next on a core: the processor whose clock is furthest behind, ties by seed.
//!
//! Makes no choice of its own: what a seed decides is in `schedule`.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;

use crate::core::{Core, NOT_READY};
use crate::event::EventKind;
use crate::fiber::{self, CaughtPanic, Fiber, KernelEntry, Progress, STACK_OVERFLOW};
use crate::memory::DramView;
use crate::processor::{Activity, Changes, Processor};
use crate::run::CoreEnd;
use crate::stop::StopReason;
use crate::watch::Watch;
use crate::{Cycle, Site};

/// A core with its kernels under way.
pub(crate) struct Running {
    pub(crate) core: Rc<RefCell<Core>>,
    fibers: [Option<Fiber>; 5],
}

impl Running {
    /// Places kernels on a launched core.
    pub(crate) fn new(
        core: Box<Core>,
        kernels: [Option<KernelEntry>; 5],
    ) -> std::io::Result<Running> {
        let core = Rc::new(RefCell::new(*core));
        let mut fibers: [Option<Fiber>; 5] = Default::default();
        for (processor, kernel) in Processor::ALL.into_iter().zip(kernels) {
            if let Some(entry) = kernel {
                let fiber = Fiber::new(Rc::clone(&core), processor, entry)?;
                fibers[processor.index()] = Some(fiber);
                let mut core = core.borrow_mut();
                let start = core.schedule.start(processor);
                let clock = &mut core.clocks[processor.index()];
                (clock.activity, clock.cycle) = (Activity::Ready, start);
                core.note_ready(processor);
                core.emit(processor, EventKind::KernelStarted);
            }
        }
        Ok(Running { core, fibers })
    }

    /// Drops what is left of the kernels and gives the core back, with what it looked like: the
    /// destructors of kernels that have not returned may still make calls.
    pub(crate) fn into_core(mut self) -> (Box<Core>, CoreEnd) {
        let can_move = self.next_cycle().is_some();
        let end = CoreEnd::of(&self.core.borrow(), can_move);
        let is_rigid = self.core.borrow().is_rigid;
        for (fiber, is_rigid) in self.fibers.iter_mut().zip(is_rigid) {
            match fiber.take() {
                Some(fiber) if is_rigid => fiber.abandon(),
                fiber => drop(fiber),
            }
        }
        match Rc::try_unwrap(self.core) {
            Ok(core) => (Box::new(core.into_inner()), end),
            Err(_) => unreachable!("only fibers shared the core, and they are gone"),
        }
    }

    /// When something can next happen here, if anything can.
    pub(crate) fn next_cycle(&self) -> Option<Cycle> {
        let mut core = self.core.borrow_mut();
        if core.stop.is_some() {
            return None;
        }
        wake(&mut core, Changes::ALL);
        let ready = core.clocks.iter().filter(|clock| clock.activity == Activity::Ready);
        let next = ready.map(|clock| clock.cycle).fold(core.queue.next_cycle(), Cycle::min);
        (next != Cycle::NEVER).then_some(next)
    }

    /// Whether it has sent no other core anything in the window under way.
    pub(crate) fn is_silent(&self) -> bool {
        self.core.borrow().outbox.messages.is_empty()
    }

    /// Notes how far a core that only waits for others has really gone: they can reach it from
    /// there on.
    pub(crate) fn note_rest(&mut self) {
        if self.next_cycle().is_none() {
            let core = &mut *self.core.borrow_mut();
            core.gone = core.clocks.iter().map(|clock| clock.cycle).fold(core.now, Cycle::max);
        }
    }

    /// Lets everything happen that happens before `until`, in a window that ends at `end`.
    pub(crate) fn run_until(&mut self, until: Cycle, end: Cycle, dram: &Arc<DramView>) {
        {
            let core = &mut *self.core.borrow_mut();
            (core.until, core.window_end) = (until, end);
            core.gone = core.gone.max(until);
            core.dram = Some(Arc::clone(dram));
        }
        fiber::ready_thread();
        let mut executing = None;
        loop {
            let run = AssertUnwindSafe(|| self.run(&mut executing));
            let Err(payload) = catch_unwind(run) else { break };
            // A panic of the device's own is not a kernel's.
            let Some(processor) = executing.take() else { resume_unwind(payload) };
            let (watch, index) = self.watch();
            came_back(watch, index);
            let panic = CaughtPanic::of(payload.as_ref());
            self.finish(processor, Some(StopReason::Panic(panic)));
        }
        self.core.borrow_mut().dram = None;
    }

    /// Runs kernels in turn until nothing happens any more. Unwinds if a kernel panics.
    fn run(&mut self, executing: &mut Option<Processor>) {
        let (watch, index) = self.watch();
        while let Some(processor) = self.choose() {
            let fiber = self.fibers[processor.index()].as_mut().expect("a ready one has a kernel");
            *executing = Some(processor);
            if let Some(watch) = watch {
                watch.begin(index, processor);
            }
            let progress = fiber.resume();
            came_back(watch, index);
            *executing = None;
            match progress {
                Progress::Suspended => {}
                Progress::Finished => self.finish(processor, None),
                Progress::Overflowed => {
                    let what = STACK_OVERFLOW.to_owned();
                    self.finish(processor, Some(StopReason::Crashed(what)));
                }
            }
        }
    }

    /// Who is told what this core runs.
    fn watch(&self) -> (Option<&'static Watch>, u16) {
        let core = self.core.borrow();
        (core.run.watch, core.index)
    }

    fn finish(&mut self, processor: Processor, reason: Option<StopReason>) {
        self.fibers[processor.index()] = None;
        let mut core = self.core.borrow_mut();
        core.clocks[processor.index()].activity = Activity::Finished;
        core.order[processor.index()] = NOT_READY;
        core.has_changed = true;
        if let Some(reason) = reason {
            if let StopReason::Panic(panic) = &reason {
                let site = panic.site.unwrap_or(Site::KERNEL);
                core.clocks[processor.index()].site = site;
            }
            core.stop_at(processor, reason);
        } else {
            core.clocks[processor.index()].site = Site::KERNEL;
            core.emit(processor, EventKind::KernelFinished);
        }
    }

    /// Does what is due and picks the processor to run, unless nothing happens now any more.
    fn choose(&mut self) -> Option<Processor> {
        let core = &mut *self.core.borrow_mut();
        if let Some(processor) = core.turn.take() {
            return Some(processor);
        }
        match next(core) {
            Next::Processor(processor) => Some(processor),
            Next::Limit(processor) => {
                let limit = core.run.cycle_limit;
                core.stop_at(processor, StopReason::CycleLimit(limit));
                None
            }
            Next::Nothing => None,
        }
    }
}

/// A kernel of a core has come back, or has panicked.
#[inline(always)]
fn came_back(watch: Option<&'static Watch>, core: u16) {
    if let Some(watch) = watch {
        watch.end(core);
    }
}

/// What happens next on a core.
enum Next {
    /// This processor runs, up to the core's horizon.
    Processor(Processor),
    /// This processor would run, beyond the limit of cycles.
    Limit(Processor),
    /// Nothing before the time that is given.
    Nothing,
}

/// Whether the processor that has just let time pass is the next to run again, so that it need not
/// be left. Otherwise notes who is: nothing happens before that one runs.
pub(crate) fn goes_on(core: &mut Core, processor: Processor) -> bool {
    let Next::Processor(next) = next(core) else { return false };
    core.turn = (next != processor).then_some(next);
    core.turn.is_none()
}

/// Does what is due before the next processor runs, on the stack of whoever asks: a transfer takes
/// no turn of its own.
fn next(core: &mut Core) -> Next {
    if core.stop.is_some() {
        return Next::Nothing;
    }
    loop {
        if core.stirred != Changes::NONE {
            wake(core, core.stirred);
        }
        let (first, first_cycle, second_cycle) = earliest(core);
        let due = core.queue.next_cycle();
        if first_cycle.min(due) >= core.until {
            return Next::Nothing;
        }
        let Some(first) = first.filter(|_| first_cycle < due) else {
            core.act_on_next();
            continue;
        };
        if first_cycle.0 > core.run.cycle_limit {
            return Next::Limit(first);
        }
        let limit = Cycle(core.run.cycle_limit.saturating_add(1));
        core.horizon = second_cycle.min(due).min(core.until).min(limit);
        return Next::Processor(first);
    }
}

/// The ready processor whose clock is furthest behind, its clock, and the next one's.
fn earliest(core: &Core) -> (Option<Processor>, Cycle, Cycle) {
    if core.schedule.decides_ties() {
        return earliest_by_seed(core);
    }
    // Who is first cannot be predicted, and this takes no branch.
    let (mut first, mut second) = (NOT_READY, NOT_READY);
    for key in core.order {
        second = second.min(first.max(key));
        first = first.min(key);
    }
    let processor = Processor::ALL.get((first & 7) as usize).copied();
    let cycle = |key: u64| Cycle(if key == NOT_READY { key } else { key >> 3 });
    (processor, cycle(first), cycle(second))
}

/// The same where the seed decides who is first of two at the same cycle.
fn earliest_by_seed(core: &Core) -> (Option<Processor>, Cycle, Cycle) {
    let (mut first, mut first_cycle, mut second_cycle) = (None, Cycle::NEVER, Cycle::NEVER);
    for processor in Processor::ALL {
        let clock = &core.clocks[processor.index()];
        if clock.activity != Activity::Ready {
            continue;
        }
        let cycle = clock.cycle;
        let is_earlier = cycle < first_cycle
            || cycle == first_cycle && core.schedule.is_second_first(cycle, processor);
        if is_earlier {
            second_cycle = first_cycle;
            (first, first_cycle) = (Some(processor), cycle);
        } else {
            second_cycle = second_cycle.min(cycle);
        }
    }
    (first, first_cycle, second_cycle)
}

/// Readies every blocked processor whose wait these changes have ended, not before they did.
fn wake(core: &mut Core, changes: Changes) {
    core.stirred = Changes::NONE;
    for processor in &Processor::ALL {
        if !core.awaits(*processor, changes) {
            continue;
        }
        let Activity::Blocked(waiting) = &core.clocks[processor.index()].activity else { continue };
        if core.is_over(*processor, waiting) {
            core.unblock(*processor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Architecture;
    use crate::memory::Dram;
    use crate::{CoreCoord, KernelEntry};

    /// A core whose kernel does this.
    fn running(kernel: KernelEntry) -> Running {
        let arch = Arc::new(Architecture::wormhole_n150());
        let core = Box::new(Core::new(&arch, CoreCoord::new(0, 0)));
        Running::new(core, [Some(kernel), None, None, None, None]).expect("a stack")
    }

    #[test]
    fn a_panic_of_the_device_is_not_blamed_on_a_kernel() {
        let view = Dram::new(1).view();
        let mut by_kernel = running(Arc::new(|_| panic!("a kernel's own")));
        by_kernel.run_until(Cycle(100), Cycle(100), &view);
        let stop = by_kernel.core.borrow_mut().stop.take().expect("a reason");
        assert!(matches!(stop.reason, StopReason::Panic(_)), "{stop:?}");

        let mut by_device = running(Arc::new(|_| {}));
        by_device.fibers[0] = None;
        let run = AssertUnwindSafe(|| by_device.run_until(Cycle(100), Cycle(100), &view));
        assert!(catch_unwind(run).is_err(), "a ready processor has a kernel");
        assert!(by_device.core.borrow().stop.is_none());
    }
}
