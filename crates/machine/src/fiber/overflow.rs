//! Stack overflow without a call, where the host reports it. Other faults go to the previous
//! handler.

#![allow(unsafe_code, reason = "a signal handler, and the registers of the faulting thread")]

use std::cell::Cell;
use std::ffi::c_void;

use corosensei::trap::{CoroutineTrapHandler, TrapHandlerRegs};

use super::End;
use super::signals::Signals;

/// What touching a guard page gives, by host.
static FAULTS: Signals<2> = Signals::new([libc::SIGSEGV, libc::SIGBUS]);

/// The fiber that this thread executes.
#[derive(Clone, Copy)]
struct Executing {
    trap: CoroutineTrapHandler<End>,
    guard: (usize, usize),
}

thread_local! {
    static EXECUTING: Cell<Option<Executing>> = const { Cell::new(None) };
}

/// This thread is about to execute fibers.
pub(super) fn handle() {
    FAULTS.handle(on_signal);
}

/// This thread executes a fiber from here on.
pub(super) fn enter(trap: CoroutineTrapHandler<End>, guard: (usize, usize)) {
    EXECUTING.set(Some(Executing { trap, guard }));
}

/// This thread executes no fiber any more.
pub(super) fn leave() {
    EXECUTING.set(None);
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the host gives both to handlers with SA_SIGINFO.
    let (address, registers) =
        unsafe { ((*info).si_addr().addr(), &mut *context.cast::<libc::ucontext_t>()) };
    let here = EXECUTING.get().filter(|it| (it.guard.0..it.guard.1).contains(&address));
    let here = here.filter(|it| it.trap.stack_ptr_in_bounds(stack_pointer(registers)));
    let Some(Executing { trap, .. }) = here else { return FAULTS.pass_on(signal, info, context) };
    // SAFETY: the stack's end is met where a function begins, so that to the function that
    // called it this is a call that does not return; what the frames hold is never used
    // again. The stack pointer is on the fiber's stack, and the registers are set as asked.
    let go_on = unsafe { trap.setup_trap_handler(|| End::Overflowed) };
    redirect(registers, &go_on);
}

#[cfg(target_arch = "x86_64")]
fn stack_pointer(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.gregs[libc::REG_RSP as usize] as usize
}

#[cfg(target_arch = "x86_64")]
fn redirect(context: &mut libc::ucontext_t, to: &TrapHandlerRegs) {
    let registers = &mut context.uc_mcontext.gregs;
    let TrapHandlerRegs { rip, rsp, rbp, rdi, rsi } = *to;
    registers[libc::REG_RIP as usize] = rip.cast_signed();
    registers[libc::REG_RSP as usize] = rsp.cast_signed();
    registers[libc::REG_RBP as usize] = rbp.cast_signed();
    registers[libc::REG_RDI as usize] = rdi.cast_signed();
    registers[libc::REG_RSI as usize] = rsi.cast_signed();
}

#[cfg(target_arch = "aarch64")]
fn stack_pointer(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.sp as usize
}

#[cfg(target_arch = "aarch64")]
fn redirect(context: &mut libc::ucontext_t, to: &TrapHandlerRegs) {
    let TrapHandlerRegs { pc, sp, x0, x1, x29, lr } = *to;
    let machine = &mut context.uc_mcontext;
    (machine.pc, machine.sp) = (pc, sp);
    (machine.regs[0], machine.regs[1]) = (x0, x1);
    (machine.regs[29], machine.regs[30]) = (x29, lr);
}
