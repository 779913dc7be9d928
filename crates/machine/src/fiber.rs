//! One kernel on one processor, as a fiber that can be suspended in the middle of a call.
//!
//! Its stack ends at a guard page. A call stops a kernel that comes near it; a kernel that reaches
//! it without a call is abandoned by a signal handler. Other faults are left alone.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod overflow;
#[cfg(target_os = "linux")]
mod signals;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::panic::PanicHookInfo;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult};

#[cfg(target_os = "linux")]
pub use signals::{SignalHandler, Signals};

use crate::Site;
use crate::context::Context;
use crate::core::Core;
use crate::processor::Processor;

/// What runs on a processor.
pub type KernelEntry = Arc<dyn Fn(&Context<'_>) + Send + Sync>;

/// Bytes of stack a kernel has. Only what it touches takes host memory.
const STACK_BYTES: usize = 256 * 1024;
/// Bytes below those, for the call that a kernel is in: a call never meets the stack's end, where
/// it would leave its core half changed.
const CALL_BYTES: usize = 128 * 1024;

/// What a kernel does that needs more stack than it has.
pub const STACK_OVERFLOW: &str = "runs out of its stack of 256 KiB";
const _: () = assert!(STACK_BYTES == 256 * 1024, "as the words say");

/// How a fiber came back.
pub(crate) enum Progress {
    /// It waits to be resumed.
    Suspended,
    /// Its kernel returned.
    Finished,
    /// Its kernel overflowed its stack and was abandoned.
    Overflowed,
}

/// How a kernel's function came to its end.
#[derive(Clone, Copy)]
enum End {
    Returned,
    Overflowed,
}

/// A panic inside a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaughtPanic {
    /// What it said.
    pub message: String,
    /// Where, if the panic told.
    pub site: Option<Site>,
}

impl CaughtPanic {
    /// What this thread's last panic carried and where it was.
    pub(crate) fn of(payload: &(dyn Any + Send)) -> CaughtPanic {
        CaughtPanic { message: message(payload), site: PANIC_SITE.take() }
    }
}

/// A kernel that has begun.
pub(crate) struct Fiber {
    /// There until the fiber is dropped.
    coroutine: Option<Coroutine<(), (), End, DefaultStack>>,
    processor: Processor,
    /// The guard page at the end of its stack.
    guard: (usize, usize),
    /// What the kernel's stack owns.
    core: Weak<RefCell<Core>>,
    entry: std::sync::Weak<dyn Fn(&Context<'_>) + Send + Sync>,
}

/// Stacks of finished kernels, for the next ones: mapping and touching a new one costs more than
/// a small kernel's run.
static STACKS: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// Stacks that are kept: enough for every processor of a chip.
const STACKS_KEPT: usize = 512;

fn stacks() -> MutexGuard<'static, Vec<DefaultStack>> {
    STACKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes every lock once that kernels and their panics take.
pub fn take_locks_once() {
    install_hook();
    drop(stacks());
}

/// Makes stacks ahead, so that there are `count` for the next kernels, and takes the host's memory
/// for the part that a usual kernel touches.
pub fn prepare_stacks(count: usize) -> std::io::Result<()> {
    const TOUCHED_BYTES: usize = 16 * 1024;
    let missing = count.min(STACKS_KEPT).saturating_sub(stacks().len());
    for _ in 0..missing {
        let stack = new_stack()?;
        let mut touch = Coroutine::<(), (), (), _>::with_stack(stack, |_, ()| {
            std::hint::black_box([0_u8; TOUCHED_BYTES]);
        });
        touch.resume(());
        stacks().push(touch.into_stack());
    }
    Ok(())
}

fn new_stack() -> std::io::Result<DefaultStack> {
    DefaultStack::new(STACK_BYTES + CALL_BYTES)
}

/// Makes a thread ready to execute fibers: their panics and faults become findings.
pub(crate) fn ready_thread() {
    install_hook();
    overflow::handle();
}

impl Fiber {
    /// Prepares a kernel; it begins with the first `resume`.
    pub(crate) fn new(
        core: Rc<RefCell<Core>>,
        processor: Processor,
        entry: KernelEntry,
    ) -> std::io::Result<Fiber> {
        let kept = stacks().pop();
        let stack = kept.map_or_else(new_stack, Ok)?;
        let top = stack.base().get();
        let guard = (stack.limit().get(), top - STACK_BYTES - CALL_BYTES);
        let (weak_core, weak_entry) = (Rc::downgrade(&core), Arc::downgrade(&entry));
        let coroutine = Coroutine::with_stack(stack, move |yielder, ()| {
            entry(&Context::new(&core, processor, yielder, top - STACK_BYTES));
            End::Returned
        });
        let coroutine = Some(coroutine);
        Ok(Fiber { coroutine, processor, guard, core: weak_core, entry: weak_entry })
    }

    /// Runs the kernel until it suspends or returns, on a thread that is ready for it; unwinds if
    /// it panics. Inlined, as is what suspends it: after a switch of stacks the host mispredicts
    /// the return from every function that was called before it.
    #[inline(always)]
    pub(crate) fn resume(&mut self) -> Progress {
        let coroutine = self.coroutine.as_mut().expect("there until the drop");
        let executing = Executing::enter(coroutine, self.guard);
        let result = coroutine.resume(());
        drop(executing);
        match result {
            CoroutineResult::Yield(()) => Progress::Suspended,
            CoroutineResult::Return(End::Returned) => Progress::Finished,
            CoroutineResult::Return(End::Overflowed) => {
                self.overflowed();
                Progress::Overflowed
            }
        }
    }
}

/// This thread executes a fiber, until it returns or unwinds from it.
struct Executing;

impl Executing {
    #[inline(always)]
    fn enter(coroutine: &Coroutine<(), (), End, DefaultStack>, guard: (usize, usize)) -> Executing {
        IN_KERNEL.set(true);
        overflow::enter(coroutine.trap_handler(), guard);
        Executing
    }
}

impl Drop for Executing {
    #[inline(always)]
    fn drop(&mut self) {
        overflow::leave();
        IN_KERNEL.set(false);
    }
}

impl Fiber {
    /// Abandons a kernel without unwinding it: what its stack owns is leaked, except the core and
    /// the kernel itself.
    #[allow(unsafe_code, reason = "foreign frames, or a broken stack, cannot be unwound")]
    pub(crate) fn abandon(mut self) {
        let coroutine = self.coroutine.as_mut().expect("there until the drop");
        if !coroutine.started() || coroutine.done() {
            return;
        }
        // SAFETY: nothing on the stack is used again.
        unsafe { coroutine.force_reset() };
        self.give_back();
    }

    /// Drops what the kernel's function owns and will never drop itself.
    #[allow(unsafe_code, reason = "the handles lie on a stack that nobody unwinds")]
    fn give_back(&self) {
        // SAFETY: the function owns one handle on the core and one on the entry.
        unsafe {
            Rc::decrement_strong_count(self.core.as_ptr());
            Arc::decrement_strong_count(self.entry.as_ptr());
        }
    }

    /// A kernel that was abandoned at the end of its stack. Its calls never get there, but what it
    /// does to bytes that a call has lent it may: then the core stays lent, and nothing can go on.
    #[cold]
    fn overflowed(&self) {
        self.give_back();
        let core = self.core.upgrade();
        if core.is_some_and(|core| core.try_borrow_mut().is_err()) {
            let who = self.processor;
            let text =
                format!("the kernel of {who} {STACK_OVERFLOW}, with bytes of L1 lent to it\n");
            // There is nobody to report a failure to.
            let _ = std::io::stderr().write_all(text.as_bytes());
            std::process::abort();
        }
    }
}

impl Drop for Fiber {
    /// A suspended kernel is unwound first, so that its destructors run.
    fn drop(&mut self) {
        let Some(mut coroutine) = self.coroutine.take() else { return };
        if coroutine.started() && !coroutine.done() {
            coroutine.force_unwind();
        }
        if coroutine.done() {
            let mut kept = stacks();
            if kept.len() < STACKS_KEPT {
                kept.push(coroutine.into_stack());
            }
        }
    }
}

thread_local! {
    static IN_KERNEL: Cell<bool> = const { Cell::new(false) };
    static PANIC_SITE: Cell<Option<Site>> = const { Cell::new(None) };
}

/// A kernel's panic is a finding, not output: keeps its place instead of printing it. Panics
/// outside kernels go to the previous hook.
fn install_hook() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if !IN_KERNEL.get() {
                return others(info);
            }
            let at = info.location().map(|at| {
                // The hook's location does not live long enough; kernels that panic are few.
                Site::new(String::leak(at.file().to_owned()), at.line(), at.column())
            });
            PANIC_SITE.set(at);
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}

/// Elsewhere the end of a stack ends the process.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod overflow {
    use corosensei::trap::CoroutineTrapHandler;

    use super::End;

    pub(super) fn handle() {}

    pub(super) fn enter(_: CoroutineTrapHandler<End>, _: (usize, usize)) {}

    pub(super) fn leave() {}
}
