//! Handlers of the host's signals, on a stack of their own, chained to the previous handlers.
//!
//! What a signal means is its user's business.

#![allow(unsafe_code, reason = "signal handlers")]

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::OnceLock;

/// Bytes of the stack that handlers run on.
const HANDLER_STACK_BYTES: usize = 1024 * 1024;

/// What the host calls.
pub type SignalHandler = extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void);

/// Some signals and their previous handlers.
pub struct Signals<const COUNT: usize> {
    numbers: [i32; COUNT],
    former: OnceLock<[libc::sigaction; COUNT]>,
}

impl<const COUNT: usize> Signals<COUNT> {
    /// Signals that nobody handles yet.
    pub const fn new(numbers: [i32; COUNT]) -> Signals<COUNT> {
        Signals { numbers, former: OnceLock::new() }
    }

    /// Has a handler called for all of them from now on, on this thread with room to run in.
    pub fn handle(&self, handler: SignalHandler) {
        self.former.get_or_init(|| self.numbers.map(|signal| install(signal, handler)));
        give_stack();
    }

    /// Passes a signal to its previous handler.
    pub fn pass_on(&self, signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
        let place = self.numbers.iter().position(|it| *it == signal);
        let before = self.former.get().zip(place).map(|(all, place)| all[place]);
        let handler = before.map_or(libc::SIG_DFL, |action| action.sa_sigaction);
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            // SAFETY: the default action, which the repeated fault or signal meets.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            if signal == libc::SIGABRT {
                // SAFETY: sends a signal to this process.
                unsafe { libc::raise(signal) };
            }
            return;
        }
        // SAFETY: a handler that was installed for this signal, with the arguments it expects.
        unsafe { std::mem::transmute::<usize, SignalHandler>(handler)(signal, info, context) };
    }
}

/// Returns what handled the signal before.
fn install(signal: i32, handler: SignalHandler) -> libc::sigaction {
    // SAFETY: plain data, all of which is set below or may be zero.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: as above.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: both point to complete actions.
    unsafe { libc::sigaction(signal, &raw const action, &raw mut before) };
    before
}

/// A stack for handlers, if the thread has none that is large enough: the kernel's own may be what
/// is full, and that of the language's runtime has no room for reading lines.
fn give_stack() {
    thread_local! {
        static GIVEN: RefCell<Option<HandlerStack>> = const { RefCell::new(None) };
    }
    GIVEN.with_borrow_mut(|given| {
        given.get_or_insert_with(HandlerStack::install);
    });
}

/// A stack that handlers of one thread run on, until the thread ends.
struct HandlerStack(Option<Box<[u8]>>);

impl HandlerStack {
    fn install() -> HandlerStack {
        // SAFETY: plain data.
        let mut now: libc::stack_t = unsafe { std::mem::zeroed() };
        // SAFETY: only asks.
        unsafe { libc::sigaltstack(std::ptr::null(), &raw mut now) };
        if now.ss_flags & libc::SS_DISABLE == 0 && now.ss_size >= HANDLER_STACK_BYTES {
            return HandlerStack(None);
        }
        let mut room = vec![0; HANDLER_STACK_BYTES].into_boxed_slice();
        set_stack(libc::stack_t {
            ss_sp: room.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: room.len(),
        });
        HandlerStack(Some(room))
    }
}

impl Drop for HandlerStack {
    fn drop(&mut self) {
        if self.0.is_some() {
            let (ss_sp, ss_size) = (std::ptr::null_mut(), HANDLER_STACK_BYTES);
            set_stack(libc::stack_t { ss_sp, ss_flags: libc::SS_DISABLE, ss_size });
        }
    }
}

fn set_stack(stack: libc::stack_t) {
    // SAFETY: memory that is not freed before another call of this has put it out of use.
    unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
}
