//! Faults of C++ kernels: a signal of the host becomes the end of the run at the kernel's line.
//!
//! The handler notes what happened and lets the thread go on in `frame::after_fault`, on the part
//! of the stack that the kernel had. Faults outside kernels are left to whoever handled them.

#![allow(unsafe_code, reason = "the registers of the faulting thread, and its stack")]

use std::ffi::c_void;

use tilewright_machine::{STACK_OVERFLOW, Signals};

use super::frame::{Frame, after_fault, executing};
use super::object;
use super::stack::{self, Calls, RawSite};
use super::system_calls;
use super::traces::{self, Trace};

/// Asks a worker where its kernels are: each thread that executes one notes its line.
pub const WHERE: i32 = 60;

/// What the host sends a kernel that goes wrong.
static FAULTS: Signals<6> = Signals::new([
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGSYS,
]);
static QUESTIONS: Signals<1> = Signals::new([WHERE]);

/// The exit code of a worker that has noted why it ends.
const CAUSE_NOTED: i32 = 3;
/// Words of the stack that are searched for the kernel's own frame.
const STACK_WORDS_MAX: usize = 1 << 14;

/// How near to the stack pointer an access is one to the stack.
const STACK_REACH: usize = 64 * 1024;
/// Room that functions may have written to below their stack pointer.
const RED_ZONE_BYTES: usize = 256;

/// Where a thread was.
#[derive(Clone, Copy)]
struct Position {
    pc: usize,
    stack: usize,
    frame: usize,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    signal: i32,
    /// Whether a process sent it.
    is_sent: bool,
    /// The system call that was refused, if one was.
    system_call: Option<i64>,
    address: usize,
    stack: usize,
    /// The instruction and the calls that led there.
    pub(super) calls: Calls,
}

impl Fault {
    /// In a few words, without any address that differs from run to run.
    pub(super) fn describe(&self, l1_base: u32) -> String {
        let slot = self.address.wrapping_sub(l1_base as usize);
        if let Some(call) = self.system_call {
            return system_calls::describe(call);
        }
        match self.signal {
            libc::SIGABRT => "aborts".to_owned(),
            _ if self.is_sent => format!("sends itself signal {}", self.signal),
            libc::SIGFPE => "divides an integer by zero".to_owned(),
            libc::SIGILL => "runs into an instruction that traps".to_owned(),
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
pub fn prepare() {
    FAULTS.handle(on_signal);
    QUESTIONS.handle(on_question);
}

/// Ends the process for what a kernel does outside every processor, and says why.
pub(super) fn end_process(at: Option<Trace>, what: &str) -> ! {
    if traces::cause(at, what) {
        // SAFETY: ends the process, whose supervisor knows why.
        unsafe { libc::_exit(CAUSE_NOTED) };
    }
    panic!("a kernel {what}");
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    let registers = context.cast::<libc::ucontext_t>();
    // SAFETY: the kernel of the host gives both to handlers with SA_SIGINFO.
    let (about, registers) = unsafe { (&*info, &mut *registers) };
    let at = position(registers);
    // SAFETY: faults and refused calls have an address.
    let address = unsafe { about.si_addr() }.addr();
    let system_call = (signal == libc::SIGSYS).then(|| system_calls::refused(registers));
    let under_lock = system_call.and_then(system_calls::under_lock);
    let (is_sent, stack) = (about.si_code <= 0, at.stack);
    let mut fault = Fault { signal, is_sent, system_call, address, stack, calls: Calls::NONE };
    let Some(frame) = executing() else {
        if let Some(what) = under_lock {
            end_process(None, what);
        }
        let site = object::loading_site(at.pc);
        if traces::is_attached() && (site.is_some() || system_call.is_some()) {
            let at = site.map(|site| Trace { processor: None, site });
            end_process(at, &fault.describe(0));
        }
        return FAULTS.pass_on(signal, info, context);
    };
    let is_stack_at_fault =
        system_call.is_none() && !is_sent && address.abs_diff(stack) < STACK_REACH;
    fault.calls = calls(frame, at, is_stack_at_fault);
    if under_lock.is_some() {
        frame.refuse_call(fault);
        return system_calls::fail(registers);
    }
    frame.fault.set(Some(fault));
    let room = frame.recovery_stack.get() - RED_ZONE_BYTES;
    redirect(registers, after_fault as extern "C-unwind" fn() -> ! as usize, room & !15);
}

/// The instruction and the kernel's own calls that led there.
fn calls(frame: &Frame<'_>, at: Position, is_stack_at_fault: bool) -> Calls {
    let Position { pc, stack, frame: frame_pointer } = at;
    let kernel_stack = stack..frame.recovery_stack.get();
    let mut calls = Calls::NONE;
    calls.add(pc + 1);
    if !is_stack_at_fault && stack % 8 == 0 && !frame.given.object.contains(pc) {
        // Functions of libraries have no frames to follow; somewhere they return to the kernel.
        // Below that, earlier calls have left theirs; above it lie the variables of the kernel's
        // function, up to its frame, if the library has left the frame pointer alone.
        let is_frame = kernel_stack.contains(&frame_pointer);
        let end = if is_frame { frame_pointer } else { kernel_stack.end };
        let words = (stack..end).step_by(8).take(STACK_WORDS_MAX).map(|at| {
            // SAFETY: between the stack pointer and the frame that the kernel was entered from.
            unsafe { *std::ptr::with_exposed_provenance::<usize>(at) }
        });
        let mut words = words.filter(|word| frame.given.object.is_returned_to(*word));
        let found = if is_frame { words.next_back() } else { words.next() };
        found.into_iter().for_each(|address| calls.add(address));
    }
    let at = RawSite { pc: 0, frame: frame_pointer };
    stack::calls(at, kernel_stack).iter().for_each(|address| calls.add(address));
    calls
}

extern "C" fn on_question(_: i32, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel of the host gives it to handlers with SA_SIGINFO.
    let at = position(unsafe { &*context.cast::<libc::ucontext_t>() });
    if let Some(frame) = executing() {
        let calls = calls(frame, at, false);
        let stack = at.stack;
        let question =
            Fault { signal: WHERE, is_sent: true, system_call: None, address: 0, stack, calls };
        traces::note(frame.context.id(), &frame.fault_site(&question));
    } else if let Some(site) = object::loading_site(at.pc) {
        traces::cause(Some(Trace { processor: None, site }), "");
    }
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
