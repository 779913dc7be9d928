//! Faults of C++ kernels: a signal of the host becomes the end of the run at the kernel's line.
//!
//! The handler notes what happened and lets the thread go on in `frame::after_fault`, on the part
//! of the stack that the kernel had. Faults outside kernels are left to whoever handled them.

#![allow(unsafe_code, reason = "the registers of the faulting thread, and its stack")]

use std::ffi::c_void;

use tilewright_machine::{STACK_OVERFLOW, Signals};

use super::frame::{after_fault, executing};
use super::stack::{self, Calls, RawSite};

/// What the host sends a kernel that goes wrong.
static FAULTS: Signals<5> =
    Signals::new([libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT]);

/// How near to the stack pointer an access is one to the stack.
const STACK_REACH: usize = 64 * 1024;
/// Room that functions may have written to below their stack pointer.
const RED_ZONE_BYTES: usize = 256;

/// Where a thread was.
struct Position {
    pc: usize,
    stack: usize,
    frame: usize,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    signal: i32,
    address: usize,
    stack: usize,
    /// The instruction and the calls that led there.
    pub(super) calls: Calls,
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
    let Position { pc, stack, frame: frame_pointer } = position(registers);
    let is_stack_readable = stack % 8 == 0 && address.abs_diff(stack) >= STACK_REACH;
    let mut calls = Calls::NONE;
    calls.add(pc + 1);
    if is_stack_readable && !frame.given.object.contains(pc) {
        // A function of a library has no frame of its own; it returns to the kernel.
        // SAFETY: the top of the stack of the function that was called, which is not at fault.
        calls.add(unsafe { *std::ptr::with_exposed_provenance::<usize>(stack) });
    }
    let kernel_stack = stack..frame.recovery_stack.get();
    let at = RawSite { pc: 0, frame: frame_pointer };
    stack::calls(at, kernel_stack).iter().for_each(|address| calls.add(address));
    frame.fault.set(Some(Fault { signal, address, stack, calls }));
    let room = frame.recovery_stack.get() - RED_ZONE_BYTES;
    redirect(registers, after_fault as extern "C-unwind" fn() -> ! as usize, room & !15);
}

#[cfg(target_arch = "x86_64")]
fn position(context: &libc::ucontext_t) -> Position {
    let register = |name: i32| context.uc_mcontext.gregs[name as usize] as usize;
    let (pc, stack) = (register(libc::REG_RIP), register(libc::REG_RSP));
    Position { pc, stack, frame: register(libc::REG_RBP) }
}

/// As if `to` had just been called: the stack is aligned before the return address.
#[cfg(target_arch = "x86_64")]
fn redirect(context: &mut libc::ucontext_t, to: usize, stack: usize) {
    let registers = &mut context.uc_mcontext.gregs;
    registers[libc::REG_RIP as usize] = to as i64;
    registers[libc::REG_RSP as usize] = (stack - 8) as i64;
}

#[cfg(target_arch = "aarch64")]
fn position(context: &libc::ucontext_t) -> Position {
    let registers = &context.uc_mcontext;
    let (pc, stack) = (registers.pc as usize, registers.sp as usize);
    Position { pc, stack, frame: registers.regs[29] as usize }
}

#[cfg(target_arch = "aarch64")]
fn redirect(context: &mut libc::ucontext_t, to: usize, stack: usize) {
    context.uc_mcontext.pc = to as u64;
    context.uc_mcontext.sp = stack as u64;
}
