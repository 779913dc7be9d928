//! A C++ kernel while it runs: how the functions of the table find the fiber they were called on.
//!
//! A thread has one current frame: that of the kernel whose code it executes, and none while a call
//! is being served. The call may leave the fiber and come back later.

#![allow(unsafe_code, reason = "enters foreign code, and finds its frame again through a pointer")]

use std::cell::{Cell, OnceCell, UnsafeCell};

use tilewright_machine::{
    Context, CoreCoord, EventKind, L1Address, NocAddress, ProcessorId, Site, StopReason,
};

use super::address::{OFFSET_MASK, absent_buffer, place};
use super::lines;
use super::object::{self, Object};
use super::printing::Printing;
use super::signals::{self, Fault};
use super::stack::{self, Calls, RawSite};
use super::traces::{self, Trace};
use super::vector::Recorder;
use crate::formats::FormatTable;
use crate::kernel::Arguments;

/// `TW_SCRATCH_BYTES`.
pub(super) const SCRATCH_BYTES: usize = 8192;
/// Blocks of code that a kernel runs at most before time passes for them: nobody can see how far
/// it is until it calls or touches L1.
const STRIDE: u32 = 1024;
/// Blocks that a kernel may run without a call that takes time.
const IDLE_STEPS_MAX: u64 = 1 << 26;
/// Sites that kernels of a thread find again without asking their objects: a power of two, of so
/// many bits.
const KNOWN_BITS: u32 = 11;
const KNOWN_SITES: usize = 1 << KNOWN_BITS;
/// Places in which a site may be.
const PROBES: usize = 8;
/// Blocks that a kernel may run in all.
const STEPS_MAX: u64 = 1 << 33;

/// What a kernel is given besides its processor.
pub(super) struct Surroundings<'a> {
    pub(super) object: &'a Object,
    pub(super) arguments: &'a Arguments,
    pub(super) formats: &'a FormatTable,
    /// The cores whose L1 can be reached by pointers, and where it begins.
    pub(super) slots: &'a [(u32, CoreCoord)],
}

/// A kernel that runs.
pub(super) struct Frame<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) id: ProcessorId,
    pub(super) given: Surroundings<'a>,
    /// Where this core's L1 begins.
    pub(super) l1_base: u32,
    /// Where the arguments lie in L1: runtime and common ones.
    pub(super) args_at: [L1Address; 2],
    /// Blocks that it may run until time passes for them, as of when a call was last served.
    blocks_left: Cell<u32>,
    idle: Cell<u64>,
    steps: Cell<u64>,
    /// Whether time has passed for the call under way without a turn for the others.
    owes_turn: Cell<bool>,
    last_site: Cell<&'static Site>,
    /// Whether it has asked for a page that a tensor does not have.
    has_strayed: Cell<bool>,
    pub(super) printed: Printing,
    /// Vector code that is not executed yet.
    pub(super) vector: Recorder,
    /// What headers keep for the kernel from one call to the next.
    scratch: OnceCell<Box<UnsafeCell<[u64; SCRATCH_BYTES / 8]>>>,
    pub(super) recovery_stack: Cell<usize>,
    pub(super) fault: Cell<Option<Fault>>,
    /// Whether `fault` is a call that was refused, from which the kernel has come back.
    is_refused: Cell<bool>,
}

thread_local! {
    static CURRENT: Cell<*const Frame<'static>> = const { Cell::new(std::ptr::null()) };

    /// Blocks that the kernel which is executed may run until time passes for them. A thread that
    /// runs no kernel has none.
    static BLOCKS_LEFT: Cell<u32> = const { Cell::new(1) };

    /// Sites of calls that were made before, each near the place of its fingerprint. All cores
    /// share them, because all run the same objects, and objects are never unloaded.
    static KNOWN: [Cell<(u64, Option<&'static Site>)>; KNOWN_SITES] =
        const { [const { Cell::new((0, None)) }; KNOWN_SITES] };
}

/// The places in which the site of a fingerprint may be, in their order.
fn places(fingerprint: u64) -> impl Iterator<Item = usize> {
    // The lower bits of a product depend on few of those of its factors.
    let first = (fingerprint >> (u64::BITS - KNOWN_BITS)) as usize;
    (first..first + PROBES).map(|place| place % KNOWN_SITES)
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        given: Surroundings<'a>,
        l1_base: u32,
        args_at: [L1Address; 2],
    ) -> Frame<'a> {
        Frame {
            context,
            id: context.id(),
            given,
            l1_base,
            args_at,
            blocks_left: Cell::new(STRIDE),
            idle: Cell::new(0),
            steps: Cell::new(0),
            owes_turn: Cell::new(false),
            last_site: Cell::new(&Site::KERNEL),
            has_strayed: Cell::new(false),
            printed: Printing::default(),
            vector: Recorder::default(),
            scratch: OnceCell::new(),
            recovery_stack: Cell::new(0),
            fault: Cell::new(None),
            is_refused: Cell::new(false),
        }
    }

    /// Runs the kernel to its end.
    pub(super) fn run(&self) {
        signals::prepare();
        // The kernel's frames may not let anything through that is thrown.
        self.context.forbid_unwinding();
        self.given.object.reset_variables();
        self.enter();
        self.stop_if_refused();
        leave(self);
        self.vector.finish(self);
        self.settle(*self.last_site.get());
        self.printed.end(self.context, *self.last_site.get());
    }

    /// The stack below this function belongs to the kernel alone: what a fault leaves of it may be
    /// overwritten.
    #[inline(never)]
    fn enter(&self) {
        let marker = 0_u8;
        self.recovery_stack.set(std::ptr::from_ref(std::hint::black_box(&marker)).addr());
        self.make_current();
        self.given.object.enter();
    }

    /// Lets time pass for the blocks that the kernel has run.
    #[inline]
    fn settle(&self, site: Site) {
        let blocks = self.count();
        if blocks > 0 {
            self.context.spend(site, blocks);
        }
    }

    /// The same for a call that begins with time passing, and so with a turn for the others, if it
    /// comes to the same for them.
    #[inline]
    fn settle_with_call(&self, site: Site) {
        let blocks = self.count();
        self.owes_turn.set(false);
        if blocks > 0 {
            match self.context.spend_with_call(blocks) {
                true => self.owes_turn.set(true),
                false => self.context.spend(site, blocks),
            }
        }
    }

    /// The blocks that the kernel has run since it was last asked.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        let blocks = STRIDE - self.blocks_left.replace(STRIDE);
        self.idle.set(self.idle.get() + u64::from(blocks));
        self.steps.set(self.steps.get() + u64::from(blocks));
        blocks
    }

    #[inline]
    fn make_current(&self) {
        traces::executing(true);
        BLOCKS_LEFT.set(self.blocks_left.get());
        CURRENT.set(std::ptr::from_ref(self).cast());
    }

    /// The line of a call or an access with who called it; that of the last call if none is known.
    #[inline]
    pub(super) fn site_of(&self, at: RawSite) -> &'static Site {
        if at.pc == 0 {
            return self.last_site.get();
        }
        let stack = stack::here()..self.recovery_stack.get();
        let fingerprint = stack::fingerprint(at, stack.clone());
        let known = |place: usize| match KNOWN.with(|known| known[place].get()) {
            (of, site) if of == fingerprint => site,
            (_, Some(_) | None) => None,
        };
        let found = places(fingerprint).find_map(known);
        found.unwrap_or_else(|| self.find_site(fingerprint, || stack::calls(at, stack)))
    }

    #[cold]
    #[inline(never)]
    fn find_site(&self, fingerprint: u64, calls: impl FnOnce() -> Calls) -> &'static Site {
        let Some(site) = self.given.object.site(fingerprint, calls) else {
            return self.last_site.get();
        };
        let site = lines::keep(site);
        KNOWN.with(|known| {
            let free = places(fingerprint).find(|place| known[*place].get().1.is_none());
            let place = free.or_else(|| places(fingerprint).next()).expect("there are places");
            known[place].set((fingerprint, Some(site)));
        });
        site
    }

    #[inline]
    fn site(&self, at: RawSite) -> Site {
        let site = self.site_of(at);
        self.last_site.set(site);
        traces::note(self.id, site);
        *site
    }

    /// A place in this core's L1, given as a pointer or an offset.
    pub(super) fn local(&self, site: Site, address: u32, bytes: u32) -> L1Address {
        let at = L1Address(address & OFFSET_MASK);
        let base = address & !OFFSET_MASK;
        if base == 0 || base == self.l1_base {
            return at;
        }
        self.refuse_absent(site, address);
        match self.owner(base) {
            Some(owner) => {
                self.take_turn(site);
                self.context.refuse_foreign_l1(site, owner, at, bytes)
            }
            // Beyond every L1: whoever uses it says so.
            None => L1Address(address),
        }
    }

    /// A place on the network.
    pub(super) fn remote(&self, site: Site, word: u64) -> NocAddress {
        let at = place(word);
        if let NocAddress::L1 { address, .. } = at {
            self.refuse_absent(site, address.0);
        }
        at
    }

    /// Ends the run if an address is of a buffer that the program does not have.
    pub(super) fn refuse_absent(&self, site: Site, address: u32) {
        if let Some(cb) = absent_buffer(address) {
            self.stop(site, StopReason::NoSuchBuffer(cb))
        }
    }

    pub(super) fn owner(&self, base: u32) -> Option<CoreCoord> {
        let found = self.given.slots.iter().find(|(slot, _)| *slot == base);
        found.map(|(_, core)| *core)
    }

    /// Ends the run because a code of the table has no meaning.
    pub(super) fn refuse(&self, site: Site, what: &str) -> ! {
        self.stop(site, StopReason::NotModelled(what.to_owned()))
    }

    /// Ends the run in a call, once the others have had the turn that it owes.
    #[cold]
    pub(super) fn stop(&self, site: Site, reason: StopReason) -> ! {
        self.take_turn(site);
        self.context.stop(site, reason)
    }

    fn take_turn(&self, site: Site) {
        if self.owes_turn.replace(false) {
            self.context.spend(site, 0);
        }
    }
}

/// The frame of the kernel that this thread executes, if it executes one now.
pub(super) fn executing() -> Option<&'static Frame<'static>> {
    // SAFETY: a frame outlives its kernel's code, and is current only while that is executed.
    unsafe { CURRENT.get().as_ref() }
}

/// No kernel's code is executed by this thread from here on.
#[inline]
fn leave(frame: &Frame<'_>) {
    CURRENT.set(std::ptr::null());
    frame.blocks_left.set(BLOCKS_LEFT.replace(1));
    traces::executing(false);
}

#[inline]
pub(super) fn current() -> &'static Frame<'static> {
    current_at(RawSite { pc: 0, frame: 0 })
}

#[inline]
pub(super) fn current_at(at: RawSite) -> &'static Frame<'static> {
    executing().unwrap_or_else(|| on_another_thread(at))
}

/// The end of a process in which kernel code runs that no processor runs: nothing knows whose
/// call it is.
#[cold]
fn on_another_thread(at: RawSite) -> ! {
    let site = object::site_of(at.pc);
    let at = site.map(|site| Trace { processor: None, site });
    signals::end_process(at, "runs code on a thread of its own")
}

/// A call being served; makes the frame current again in the end, even if the call panics.
struct Outside<'a>(&'a Frame<'static>);

impl<'a> Outside<'a> {
    #[inline]
    fn go(frame: &'a Frame<'static>) -> Outside<'a> {
        leave(frame);
        Outside(frame)
    }
}

impl Drop for Outside<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.make_current();
    }
}

/// A call that takes time.
#[inline]
pub(super) fn call<R>(at: RawSite, act: impl FnOnce(&Frame<'static>, Site) -> R) -> R {
    serve(at, true, Frame::settle, act)
}

/// The same, if the first that is done on the machine is to let time pass for it.
#[inline]
pub(super) fn timed_call<R>(at: RawSite, act: impl FnOnce(&Frame<'static>, Site) -> R) -> R {
    serve(at, true, Frame::settle_with_call, act)
}

/// A call that takes none.
#[inline]
pub(super) fn ask<R>(at: RawSite, act: impl FnOnce(&Frame<'static>, Site) -> R) -> R {
    serve(at, false, Frame::settle, act)
}

#[inline(always)]
fn serve<R>(
    at: RawSite,
    takes_time: bool,
    settle: impl FnOnce(&Frame<'static>, Site),
    act: impl FnOnce(&Frame<'static>, Site) -> R,
) -> R {
    let frame = current_at(at);
    frame.stop_if_refused();
    let outside = Outside::go(frame);
    if takes_time {
        frame.idle.set(0);
    }
    let site = frame.site(at);
    if takes_time && frame.vector.is_pending() {
        frame.settle(site);
        frame.vector.finish(frame);
    } else {
        settle(frame, site);
    }
    let result = act(frame, site);
    drop(outside);
    result
}

/// A call without a site of its own.
#[inline]
pub(super) fn inside<R>(act: impl FnOnce(&Frame<'static>) -> R) -> R {
    let frame = current();
    let outside = Outside::go(frame);
    let result = act(frame);
    drop(outside);
    result
}

/// Notes a page that an address generator was asked for, if the tensor does not have it. From then
/// on every page is noted: the same place may be meant for another tensor later.
pub(super) fn page_addressed(at: NocAddress, base: u32, page: u32) {
    let frame = current();
    let base = match at {
        NocAddress::L1 { .. } => base & OFFSET_MASK,
        NocAddress::Dram(_) => base,
    };
    if frame.given.arguments.is_beyond(at, base, page) {
        frame.has_strayed.set(true);
    }
    if frame.has_strayed.get() {
        let kind = EventKind::PageAddressed { at, base, page };
        inside(|frame| frame.context.say(*frame.last_site.get(), kind));
    }
}

/// The memory of the processor that headers keep things in.
pub(super) fn scratch() -> *mut u64 {
    let zeroes = || Box::new(UnsafeCell::new([0; SCRATCH_BYTES / 8]));
    current().scratch.get_or_init(zeroes).get().cast()
}

/// One block of a kernel's code. Whether it is the last one before time passes.
#[inline]
pub(super) fn tick() -> bool {
    let left = BLOCKS_LEFT.get().wrapping_sub(1);
    BLOCKS_LEFT.set(left);
    left == 0
}

/// Lets time pass for as many blocks as a kernel may run without.
pub(super) fn stride(at: RawSite) {
    current_at(at).stop_if_refused();
    inside(|frame| {
        let blocks = frame.count();
        let site = *frame.site_of(at);
        let (idle, steps) = (frame.idle.get(), frame.steps.get());
        if idle > IDLE_STEPS_MAX || steps > STEPS_MAX {
            let steps = if idle > IDLE_STEPS_MAX { idle } else { steps };
            frame.context.stop(site, StopReason::EndlessLoop(steps));
        }
        traces::note(frame.id, &site);
        frame.context.spend(site, blocks);
    });
}

/// Where a kernel goes on after a fault: nowhere.
pub(super) extern "C-unwind" fn after_fault() -> ! {
    let frame = current();
    leave(frame);
    let fault = frame.fault.take();
    let (site, what) = match fault {
        Some(fault) => (frame.fault_site(&fault), fault.describe(frame.l1_base)),
        None => (*frame.last_site.get(), "a fault".to_owned()),
    };
    frame.context.stop(site, StopReason::Crashed(what))
}

impl Frame<'_> {
    /// Notes a call that was refused while nothing may be allocated: the kernel stops at its next
    /// step.
    pub(super) fn refuse_call(&self, fault: Fault) {
        self.fault.set(Some(fault));
        self.is_refused.set(true);
        BLOCKS_LEFT.set(1);
    }

    fn stop_if_refused(&self) {
        if self.is_refused.get() {
            after_fault();
        }
    }

    /// The line of the faulting instruction, or of who called what has no lines.
    pub(super) fn fault_site(&self, fault: &Fault) -> Site {
        let found = self.given.object.site(fault.calls.fingerprint(), || fault.calls);
        found.unwrap_or_else(|| *self.last_site.get())
    }
}
