//! What a kernel may do from the processor it runs on: time passes, things happen, waits block.
//!
//! Every call takes the site that caused it. A call that cannot go on never returns: the run
//! ends, and the fiber with it.

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use corosensei::Yielder;
use tilewright_tile::Chip;

use crate::config::{ComputeSettings, MathOperation, PackFormats, PackMode, UnpackFormats};
use crate::core::{Clock, Core};
use crate::edit::Edit;
use crate::event::{EventKind, Setting};
use crate::fiber::STACK_OVERFLOW;
use crate::processor::{Changes, Processor, ProcessorId, SourceId, Waiting};
use crate::scheduler;
use crate::stop::StopReason;
use crate::timing::Timing;
use crate::vector::VectorOperation;
use crate::{Architecture, CoreCoord, Cycle, Site, UnpackOperation};

/// How far a processor may run ahead of the others while it only configures itself: far more
/// than kernels do, and little enough that one which never stops is noticed.
const CONFIGURE_AHEAD: u64 = 1 << 16;

/// A kernel's handle to its core.
pub struct Context<'a> {
    core: &'a Rc<RefCell<Core>>,
    processor: Processor,
    yielder: &'a Yielder<(), ()>,
    /// The lowest address of its stack that a kernel may use itself.
    floor: usize,
    pub(crate) edit: Option<Edit>,
    /// Calls of the edited place so far.
    edited: Cell<u64>,
    /// What the core's compute kernel was compiled with, and its arithmetic: kept at hand, because
    /// neither changes while kernels run.
    settings: ComputeSettings,
    chip: Chip,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        core: &'a Rc<RefCell<Core>>,
        processor: Processor,
        yielder: &'a Yielder<(), ()>,
        floor: usize,
    ) -> Context<'a> {
        let (edit, settings, chip) = {
            let core = core.borrow();
            (core.run.edit, core.settings, core.arch.chip)
        };
        let edited = Cell::new(0);
        Context { core, processor, yielder, floor, edit, edited, settings, chip }
    }

    /// Ends the run if the kernel has used up its stack. Skipped while unwinding.
    #[inline]
    fn check_stack(&self, site: Site) {
        let marker = 0_u8;
        let here = std::ptr::from_ref(&marker).addr();
        if here < self.floor && !std::thread::panicking() {
            self.stop(site, StopReason::Crashed(STACK_OVERFLOW.to_owned()));
        }
    }

    /// The processor this kernel runs on.
    pub fn processor(&self) -> Processor {
        self.processor
    }

    /// The processor and its core.
    pub fn id(&self) -> ProcessorId {
        ProcessorId { core: self.coord(), processor: self.processor }
    }

    /// The core this kernel runs on.
    pub fn coord(&self) -> CoreCoord {
        self.core.borrow().coord
    }

    /// What the compute kernel was compiled with.
    pub fn settings(&self) -> ComputeSettings {
        self.settings
    }

    /// The arithmetic of the chip.
    pub(crate) fn chip(&self) -> Chip {
        self.chip
    }

    /// Asks the chip's table.
    pub fn architecture<R>(&self, ask: impl FnOnce(&Architecture) -> R) -> R {
        ask(&self.core.borrow().arch)
    }

    /// This processor's clock.
    pub fn cycle(&self) -> Cycle {
        self.core.borrow().clocks[self.processor.index()].cycle
    }

    /// Lets time pass before `act`, which happens at its end. The core is taken once, unless others
    /// run in between.
    #[inline]
    pub(crate) fn step<R>(
        &self,
        site: Site,
        cycles: impl FnOnce(&Timing) -> u64,
        act: impl FnOnce(&mut Core) -> Result<R, StopReason>,
    ) -> R {
        self.check_stack(site);
        self.step_with(self.core.borrow_mut(), site, cycles, act)
    }

    /// The same with the core, which the call has taken already.
    #[inline]
    pub(crate) fn step_with<R>(
        &self,
        core: RefMut<'a, Core>,
        site: Site,
        cycles: impl FnOnce(&Timing) -> u64,
        act: impl FnOnce(&mut Core) -> Result<R, StopReason>,
    ) -> R {
        self.step_from(core, site, (cycles, Clock::count_call), act)
    }

    /// A step that updates the processor's clock with `note` and is no call.
    #[inline]
    pub(crate) fn step_noting<R>(
        &self,
        site: Site,
        cycles: impl FnOnce(&Timing) -> u64,
        note: impl FnOnce(&mut Clock),
        act: impl FnOnce(&mut Core) -> Result<R, StopReason>,
    ) -> R {
        self.check_stack(site);
        self.step_from(self.core.borrow_mut(), site, (cycles, note), act)
    }

    #[inline(always)]
    fn step_from<R>(
        &self,
        mut core: RefMut<'a, Core>,
        site: Site,
        (cycles, note): (impl FnOnce(&Timing) -> u64, impl FnOnce(&mut Clock)),
        act: impl FnOnce(&mut Core) -> Result<R, StopReason>,
    ) -> R {
        if self.let_pass(&mut core, site, cycles, note) {
            drop(core);
            self.pause();
            core = self.core.borrow_mut();
        }
        core.now = core.clocks[self.processor.index()].cycle;
        let result = act(&mut core);
        drop(core);
        match result {
            Ok(value) => value,
            Err(reason) => self.stop(site, reason),
        }
    }

    /// Takes the core for a call at the present cycle, and asks it something first.
    #[inline]
    pub(crate) fn taken<R>(
        &self,
        site: Site,
        ask: impl FnOnce(&mut Core) -> Result<R, StopReason>,
    ) -> (RefMut<'a, Core>, R) {
        self.check_stack(site);
        let mut core = self.core.borrow_mut();
        let clock = &mut core.clocks[self.processor.index()];
        clock.site = site;
        core.now = clock.cycle;
        match ask(&mut core) {
            Ok(value) => (core, value),
            Err(reason) => {
                drop(core);
                self.stop(site, reason)
            }
        }
    }

    /// The core, for a part of it that a call lends its kernel.
    pub(crate) fn shared_core(&self) -> &'a RefCell<Core> {
        self.core
    }

    /// Does something at the present cycle.
    pub(crate) fn at_once<R>(
        &self,
        site: Site,
        act: impl FnOnce(&mut Core) -> Result<R, StopReason>,
    ) -> R {
        self.taken(site, act).1
    }

    /// Records an event at the present cycle.
    pub(crate) fn note(&self, kind: EventKind) {
        self.core.borrow_mut().emit(self.processor, kind);
    }

    /// Lets time pass for a call; others run if their clocks are behind.
    pub(crate) fn advance(&self, site: Site, cycles: impl FnOnce(&Timing) -> u64) {
        self.pass(site, cycles, Clock::count_call);
    }

    /// Lets time pass and updates the processor's clock with `note`.
    pub(crate) fn pass(
        &self,
        site: Site,
        cycles: impl FnOnce(&Timing) -> u64,
        note: impl FnOnce(&mut Clock),
    ) {
        self.check_stack(site);
        let must_yield = self.let_pass(&mut self.core.borrow_mut(), site, cycles, note);
        if must_yield {
            self.pause();
        }
    }

    /// The same on a borrowed core. Returns whether others must run first.
    #[inline]
    fn let_pass(
        &self,
        core: &mut Core,
        site: Site,
        cycles: impl FnOnce(&Timing) -> u64,
        note: impl FnOnce(&mut Clock),
    ) -> bool {
        let cycles = cycles(&core.arch.timing);
        let cycles = core.schedule.step(self.processor, cycles);
        core.called(self.processor, site);
        let clock = &mut core.clocks[self.processor.index()];
        clock.cycle += cycles;
        note(clock);
        let is_free = clock.cycle < core.horizon && core.stirred == Changes::NONE;
        core.note_ready(self.processor);
        !is_free && !scheduler::goes_on(core, self.processor)
    }

    /// Yields to other processors. A kernel that is being unwound only runs destructors and cannot
    /// yield.
    fn pause(&self) {
        if std::thread::panicking() {
            self.core.borrow_mut().turn = None;
        } else {
            self.yielder.suspend(());
        }
    }

    /// Blocks until the wait is over. Returns at once if it already is. Inlined, as `Fiber::resume`
    /// is: returns from functions that were called before a switch of stacks are mispredicted.
    #[inline(always)]
    pub(crate) fn wait(&self, waiting: Waiting) {
        {
            let mut core = self.core.borrow_mut();
            if core.is_over(self.processor, &waiting) || std::thread::panicking() {
                return;
            }
            core.block(self.processor, waiting);
        }
        self.yielder.suspend(());
    }

    /// Makes a call that returns once a wait is over and then emits `kind`. An error of `check`
    /// ends the run.
    #[inline]
    pub(crate) fn call_and_wait(
        &self,
        site: Site,
        check: impl FnOnce(&Core) -> Result<(), StopReason>,
        waiting: Waiting,
        kind: EventKind,
    ) {
        let is_over = self.call(site, |core| {
            check(core)?;
            let is_over = core.is_over(self.processor, &waiting) || std::thread::panicking();
            if is_over {
                core.emit(self.processor, kind);
            } else {
                core.block(self.processor, waiting);
            }
            Ok(is_over)
        });
        if !is_over {
            self.yielder.suspend(());
            self.note(kind);
        }
    }

    /// Ends the run here.
    pub fn stop(&self, site: Site, reason: StopReason) -> ! {
        {
            let mut core = self.core.borrow_mut();
            core.clocks[self.processor.index()].site = site;
            core.stop_at(self.processor, reason);
        }
        loop {
            self.yielder.suspend(());
        }
    }

    /// Whether this run leaves the call out.
    pub(crate) fn skips(&self, site: Site) -> bool {
        self.times(site) == 0
    }

    /// How often this run makes the call: once, unless an edit says otherwise.
    #[inline]
    pub(crate) fn times(&self, site: Site) -> u32 {
        match &self.edit {
            None => 1,
            Some(edit) => self.edited_times(edit, site),
        }
    }

    #[cold]
    #[inline(never)]
    fn edited_times(&self, edit: &Edit, site: Site) -> u32 {
        match edit.site == site {
            true => edit.times(self.edited.replace(self.edited.get() + 1)),
            false => 1,
        }
    }

    pub(crate) fn call<R>(
        &self,
        site: Site,
        act: impl FnOnce(&mut Core) -> Result<R, StopReason>,
    ) -> R {
        self.step(site, |timing| timing.call, act)
    }

    pub(crate) fn with_core<R>(&self, ask: impl FnOnce(&Core) -> R) -> R {
        ask(&self.core.borrow())
    }

    pub(crate) fn with_core_mut<R>(&self, change: impl FnOnce(&mut Core) -> R) -> R {
        change(&mut self.core.borrow_mut())
    }

    /// Reads state without letting time pass. A kernel that does nothing else would never yield, so
    /// it is stopped here.
    pub(crate) fn quick<R>(
        &self,
        site: Site,
        ask: impl FnOnce(&Core) -> Result<R, StopReason>,
    ) -> R {
        self.check_stack(site);
        let answer = {
            let core = &mut *self.core.borrow_mut();
            let clock = &mut core.clocks[self.processor.index()];
            clock.questions += 1;
            if clock.questions > core.run.step_budget {
                core.called(self.processor, site);
                Err(core.livelock(self.processor))
            } else {
                ask(core)
            }
        };
        match answer {
            Ok(value) => value,
            Err(reason) => self.stop(site, reason),
        }
    }

    /// Records that start-up is called by a name under which it may be called once; that it ran is
    /// told afterwards.
    pub fn start_up(&self, site: Site) {
        let is_again = self.with_core(|core| core.configuration.is_started[self.processor.index()]);
        if is_again && !self.skips(site) {
            self.at_once(site, |core| {
                core.emit(self.processor, EventKind::StartupRepeated);
                Ok(())
            });
        }
    }

    /// Records that start-up ran.
    pub fn started_up(&self, site: Site) {
        if self.skips(site) {
            return;
        }
        self.call(site, |core| {
            core.configuration.is_started[self.processor.index()] = true;
            core.emit(self.processor, EventKind::StartedUp);
            Ok(())
        });
    }

    /// Changes this processor's own configuration. No other processor can observe it, so time
    /// passes without a scheduling point, unless a kernel does nothing else for long.
    fn configure(&self, site: Site, setting: Setting, set: impl FnOnce(&mut Core)) {
        if self.skips(site) {
            return;
        }
        self.check_stack(site);
        let must_yield = {
            let core = &mut *self.core.borrow_mut();
            let cycles = core.schedule.step(self.processor, core.arch.timing.configure);
            core.called(self.processor, site);
            let clock = &mut core.clocks[self.processor.index()];
            clock.cycle += cycles;
            clock.calls += 1;
            clock.questions = 0;
            let must_yield = clock.cycle >= core.horizon + CONFIGURE_AHEAD;
            core.note_ready(self.processor);
            set(core);
            core.emit(self.processor, EventKind::Configured(setting));
            must_yield
        };
        if must_yield {
            self.yielder.suspend(());
        }
    }

    /// Sets an unpacker's formats.
    pub fn configure_unpack_formats(&self, site: Site, source: SourceId, formats: UnpackFormats) {
        self.configure(site, Setting::UnpackFormats(source, formats), |core| {
            core.configuration.unpack_formats[source as usize] = Some(formats);
        });
    }

    /// Sets what unpack does.
    pub fn configure_unpack(&self, site: Site, operation: UnpackOperation) {
        self.configure(site, Setting::Unpack(operation), |core| {
            core.configuration.unpack.set(operation);
        });
    }

    /// Sets the matrix unit's format of a source.
    pub fn configure_alu_format(
        &self,
        site: Site,
        source: SourceId,
        format: tilewright_tile::DataFormat,
    ) {
        self.configure(site, Setting::AluFormat(source, format), |core| {
            core.configuration.alu_formats[source as usize] = Some(format);
        });
    }

    /// Sets what math does.
    pub fn configure_math(&self, site: Site, operation: MathOperation) {
        self.configure(site, Setting::Math(operation), |core| {
            core.configuration.math.set(operation);
        });
    }

    /// Sets the vector unit's constants, and its lanes back to what they are at first.
    pub fn configure_vector(&self, site: Site, operation: VectorOperation) {
        self.configure(site, Setting::Vector(operation), |core| {
            core.configuration.vector = Some(operation);
            core.configuration.vector_unit.reset_lanes();
            let constants = operation.constants(core.arch.chip, core.dst.width());
            let constants = constants.iter().flatten();
            for (register, value) in core.configuration.vector_constants.iter_mut().zip(constants) {
                *register = value.unwrap_or(*register);
            }
        });
    }

    /// Sets the packers' formats.
    pub fn configure_pack_formats(&self, site: Site, formats: PackFormats) {
        self.configure(site, Setting::PackFormats(formats), |core| {
            core.configuration.pack_formats = Some(formats);
        });
    }

    /// Sets how pack walks.
    pub fn configure_pack(&self, site: Site, mode: PackMode) {
        self.configure(site, Setting::Pack(mode), |core| {
            core.configuration.pack_mode = Some(mode);
        });
    }

    /// Sets the packers' ReLU.
    pub fn configure_relu(&self, site: Site, relu: tilewright_tile::Relu) {
        self.configure(site, Setting::Relu, |core| core.configuration.relu = relu);
    }

    /// Sets what the packers keep of a reduced tile.
    pub fn configure_mask(&self, site: Site, mask: tilewright_tile::PackMask) {
        self.configure(site, Setting::Mask(mask), |core| core.configuration.mask = mask);
    }

    /// Sets whether the packers add to what L1 holds.
    pub fn configure_accumulate(&self, site: Site, accumulate: bool) {
        self.configure(site, Setting::Accumulate, |core| {
            core.configuration.accumulate = accumulate;
        });
    }
}
