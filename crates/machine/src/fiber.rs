//! One kernel on one processor, as a fiber that can be left in the middle of a call.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use crate::Site;
use crate::context::Context;
use crate::core::Core;
use crate::processor::Processor;

/// What runs on a processor.
pub type KernelEntry = Arc<dyn Fn(&Context<'_>) + Send + Sync>;

/// Bytes of stack a kernel has. Only what it touches takes host memory.
const STACK_BYTES: usize = 256 * 1024;

/// How a fiber came back.
pub(crate) enum Progress {
    /// It waits to be resumed.
    Suspended,
    /// Its kernel returned.
    Finished,
    /// Its kernel panicked.
    Panicked(KernelPanic),
}

/// A panic inside a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelPanic {
    /// What it said.
    pub message: String,
    /// Where, if the panic told.
    pub site: Option<Site>,
}

/// A kernel that has begun.
pub(crate) struct Fiber {
    /// There until the fiber is dropped.
    coroutine: Option<Coroutine<(), (), (), DefaultStack>>,
    /// What the kernel's stack holds on to.
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

/// Makes stacks ahead, so that there are `count` for the next kernels, and takes the host's memory
/// for the part that a usual kernel touches.
pub fn prepare_stacks(count: usize) -> std::io::Result<()> {
    const TOUCHED_BYTES: usize = 16 * 1024;
    let missing = count.min(STACKS_KEPT).saturating_sub(stacks().len());
    for _ in 0..missing {
        let stack = DefaultStack::new(STACK_BYTES)?;
        let mut touch = Coroutine::<(), (), (), _>::with_stack(stack, |_, ()| {
            std::hint::black_box([0_u8; TOUCHED_BYTES]);
        });
        touch.resume(());
        stacks().push(touch.into_stack());
    }
    Ok(())
}

impl Fiber {
    /// Prepares a kernel; it begins with the first `resume`.
    pub(crate) fn new(
        core: Rc<RefCell<Core>>,
        processor: Processor,
        entry: KernelEntry,
    ) -> std::io::Result<Fiber> {
        let kept = stacks().pop();
        let stack = kept.map_or_else(|| DefaultStack::new(STACK_BYTES), Ok)?;
        let (weak_core, weak_entry) = (Rc::downgrade(&core), Arc::downgrade(&entry));
        let coroutine = Coroutine::with_stack(stack, move |yielder, ()| {
            entry(&Context::new(&core, processor, yielder));
        });
        Ok(Fiber { coroutine: Some(coroutine), core: weak_core, entry: weak_entry })
    }

    /// Runs the kernel until it suspends, returns or panics.
    pub(crate) fn resume(&mut self) -> Progress {
        install_hook();
        IN_KERNEL.set(true);
        let coroutine = self.coroutine.as_mut().expect("there until the drop");
        let result = catch_unwind(AssertUnwindSafe(|| coroutine.resume(())));
        IN_KERNEL.set(false);
        match result {
            Ok(CoroutineResult::Yield(())) => Progress::Suspended,
            Ok(CoroutineResult::Return(())) => Progress::Finished,
            Err(payload) => Progress::Panicked(KernelPanic {
                message: message(payload.as_ref()),
                site: PANIC_SITE.take(),
            }),
        }
    }
}

impl Fiber {
    /// Gives a kernel up without unwinding it: what its stack holds is lost to the host, but for
    /// the core and the kernel itself.
    #[allow(unsafe_code, reason = "foreign frames, or a broken stack, cannot be unwound")]
    pub(crate) fn abandon(mut self) {
        let coroutine = self.coroutine.as_mut().expect("there until the drop");
        if !coroutine.started() || coroutine.done() {
            return;
        }
        // SAFETY: nothing on the stack is used again. The kernel's function owns one handle on the
        // core and one on the entry, which it never gives back itself.
        unsafe {
            coroutine.force_reset();
            Rc::decrement_strong_count(self.core.as_ptr());
            Arc::decrement_strong_count(self.entry.as_ptr());
        }
    }
}

impl Drop for Fiber {
    /// A kernel that was left in the middle is unwound first, so that its destructors run.
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
/// outside kernels are left to whoever handled them before.
fn install_hook() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if !IN_KERNEL.get() {
                return others(info);
            }
            let at = info.location().map(|at| Site {
                // The hook's location does not live long enough; kernels that panic are few.
                file: String::leak(at.file().to_owned()),
                line: at.line(),
                column: at.column(),
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
