//! Faults of C++ kernels: a signal of the host becomes the end of the run at the kernel's line.
//!
//! The handler notes what happened and lets the thread go on in `frame::after_fault`, on the part
//! of the stack that the kernel had. Faults outside kernels are left to whoever handled them.

#![allow(unsafe_code, reason = "the registers of the faulting thread, and its stack")]

use std::ffi::c_void;

use tilewright_machine::{STACK_OVERFLOW, Signals};

use super::frame::{after_fault, executing};

/// What the host sends a kernel that goes wrong.
static FAULTS: Signals<5> =
    Signals::new([libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT]);

/// How near to the stack pointer an access is one to the stack.
const STACK_REACH: usize = 64 * 1024;
/// Room that functions may have written to below their stack pointer.
const RED_ZONE_BYTES: usize = 256;

/// What happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    signal: i32,
    address: usize,
    stack: usize,
    /// The instruction.
    pub(super) pc: usize,
    /// What would have been returned to, if the instruction is not the kernel's own.
    pub(super) caller: usize,
}

impl Fault {
    /// In a few words, without any address that differs from run to run.
    pub(super) fn describe(&self, l1_base: u32) -> String {
        let slot = self.address.wrapping_sub(l1_base as usize);
        match self.signal {
            libc::SIGFPE => "divides an integer by zero".to_owned(),
            libc::SIGILL => "runs into an instruction that traps".to_owned(),
            libc::SIGABRT => "aborts".to_owned(),
            _ if self.address.abs_diff(self.stack) < STACK_REACH => STACK_OVERFLOW.to_owned(),
            _ if self.address < 4096 => {
                format!("uses a null pointer, at address {:#x}", self.address)
            }
            _ if self.address < 2 << 20 => {
                format!("uses the plain offset {:#x} in L1 as a pointer", self.address)
            }
            _ if slot < 2 << 20 => format!("reaches beyond the end of L1, to {slot:#x}"),
            _ => "uses a pointer to memory that is not there".to_owned(),
        }
    }
}

/// Sets up handlers, once, and a stack for them on this thread.
pub(super) fn prepare_thread() {
    FAULTS.handle(on_signal);
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(frame) = executing() else { return FAULTS.pass_on(signal, info, context) };
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the kernel of the host gives both to handlers with SA_SIGINFO.
    let (address, registers) = unsafe { ((*info).si_addr().addr(), &mut *context) };
    let (pc, stack) = position(registers);
    let is_stack_readable = stack % 8 == 0 && address.abs_diff(stack) >= STACK_REACH;
    let caller = if is_stack_readable {
        // SAFETY: the top of the stack of the function that was called, which is not at fault.
        unsafe { *std::ptr::with_exposed_provenance::<usize>(stack) }
    } else {
        0
    };
    frame.fault.set(Some(Fault { signal, address, stack, pc, caller }));
    let room = frame.recovery_stack.get() - RED_ZONE_BYTES;
    redirect(registers, after_fault as extern "C-unwind" fn() -> ! as usize, room & !15);
}

#[cfg(target_arch = "x86_64")]
fn position(context: &libc::ucontext_t) -> (usize, usize) {
    let registers = &context.uc_mcontext.gregs;
    (registers[libc::REG_RIP as usize] as usize, registers[libc::REG_RSP as usize] as usize)
}

/// As if `to` had just been called: the stack is aligned before the return address.
#[cfg(target_arch = "x86_64")]
fn redirect(context: &mut libc::ucontext_t, to: usize, stack: usize) {
    let registers = &mut context.uc_mcontext.gregs;
    registers[libc::REG_RIP as usize] = to as i64;
    registers[libc::REG_RSP as usize] = (stack - 8) as i64;
}

#[cfg(target_arch = "aarch64")]
fn position(context: &libc::ucontext_t) -> (usize, usize) {
    (context.uc_mcontext.pc as usize, context.uc_mcontext.sp as usize)
}

#[cfg(target_arch = "aarch64")]
fn redirect(context: &mut libc::ucontext_t, to: usize, stack: usize) {
    context.uc_mcontext.pc = to as u64;
    context.uc_mcontext.sp = stack as u64;
}
