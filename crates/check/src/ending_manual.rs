//! Manuals of the findings that end a run, whatever tools watch it.

use crate::Blame;
use crate::declaration::declare;

declare! {
    /// # What it finds
    /// A kernel that panicked, at the line of the panic.
    /// # Why it matters
    /// The run ends there; no output is complete.
    /// # Instead
    /// Read the message: it is the kernel's own.
    pub struct KernelPanic {}
    Declaration { name: "kernel-panic" }
}

declare! {
    /// # What it finds
    /// A compute operation before `compute_kernel_hw_startup`.
    /// # Why it matters
    /// Formats and the Dst protocol are unset; on a card they are whatever the last kernel left.
    /// # Instead
    /// Call `compute_kernel_hw_startup` before any other compute operation.
    pub struct MissingStartup {}
    Declaration { name: "missing-startup" }
}

declare! {
    /// # What it finds
    /// A compute operation before any init call has said what unpack, math or the vector unit do.
    /// # Why it matters
    /// On a card the operation does what the last kernel's init asked for.
    /// # Instead
    /// Call the operation's init before it.
    pub struct MissingInit {}
    Declaration { name: "missing-init" }
}

declare! {
    /// # What it finds
    /// An access beyond the end of L1, or a transfer from or to a place that holds no data.
    /// # Why it matters
    /// On a card it corrupts something else, or hangs the network.
    /// # Instead
    /// Use addresses of buffers that the host has allocated.
    pub struct OutOfBounds {}
    Declaration { name: "out-of-bounds" }
}

declare! {
    /// # What it finds
    /// A transfer whose two addresses differ modulo what the network needs.
    /// # Why it matters
    /// On a card the bytes arrive shifted, or not at all.
    /// # Instead
    /// Make both addresses equal modulo the alignment that the finding names.
    pub struct Misaligned {}
    Declaration { name: "misaligned" }
}

declare! {
    /// # What it finds
    /// The use of a circular buffer that the program does not have on the core.
    /// # Why it matters
    /// On a card its pointers are those of an earlier program.
    /// # Instead
    /// Declare the buffer on the core, or use one that is there. If the program declares it on
    /// other cores the fault is the host program's, otherwise the kernel's.
    pub struct NoSuchBuffer {}
    Declaration { name: "no-such-buffer" }
}

declare! {
    /// # What it finds
    /// A kernel that reads an argument it was not given.
    /// # Why it matters
    /// On a card it reads what lies in memory behind the arguments.
    /// # Instead
    /// Give the argument on the host, or read one that is there. Arguments are the host program's,
    /// and so is the fault.
    pub struct NoSuchArgument {}
    Declaration { name: "no-such-argument", blame: Blame::HostBug }
}

declare! {
    /// # What it finds
    /// Something real that the simulator lacks. The program may be right.
    /// # Why it matters
    /// The simulator refuses to guess, so the run cannot be judged.
    /// # Instead
    /// Do it in another way, or report what is missing.
    pub struct NotModelled {}
    Declaration { name: "not-modelled", blame: Blame::NotModelled }
}

declare! {
    /// # What it finds
    /// A run that took more simulated time than it was given.
    /// # Why it matters
    /// A loop that never ends would otherwise keep the host for ever.
    /// # Instead
    /// Look at the line where it was; allow more cycles if the program may need them.
    pub struct CycleLimit {}
    Declaration { name: "cycle-limit" }
}

declare! {
    /// # What it finds
    /// A kernel that makes call after call, such as reads of one word, while nothing changes on any
    /// core and no transfer is under way. It is reported after `--step-budget` such calls.
    /// # Why it matters
    /// Nobody is left who could change what it looks at, so that on a card it polls for ever.
    /// # Instead
    /// Find out who should change it, and what that processor waits for; wait with
    /// `noc_semaphore_wait`, whose end the simulator can judge. A loop that only lets time pass
    /// needs a larger budget.
    pub struct Livelock {}
    Declaration { name: "livelock" }
}

declare! {
    /// # What it finds
    /// A kernel that did what ends a process: in C++ a null or wild pointer, an exit, an abort or
    /// an exception, in any language a full stack.
    /// # Why it matters
    /// On a card the core hangs, or goes on with whatever it read.
    /// # Instead
    /// Look at the line: pointers to L1 come from `get_read_ptr`, `get_write_ptr`,
    /// `get_semaphore` and arguments, and kernels have no library that ends or throws. A full stack
    /// is told at the last call before it. Here a kernel has 256 KiB; on a Wormhole a data movement
    /// processor has 4 KiB of memory of its own for stack and variables, a compute processor 2. The
    /// host's files, processes and network are out of reach; docs/src/trust.md says how.
    pub struct KernelCrash {}
    Declaration { name: "kernel-crash" }
}

declare! {
    /// # What it finds
    /// A kernel that does not terminate. A C++ kernel is reported after a number of steps without
    /// a call, after `--silence` seconds without a call or a step, and after `--timeout` seconds in
    /// any case; a Rust kernel after `--silence` seconds without a call. The mark is where it was.
    /// # Why it matters
    /// On a card the core hangs. A kernel that does not come back cannot be left, so that the
    /// command then ends with this finding alone; what the tools had found by then is not told.
    /// # Instead
    /// Let the loop end, or wait with a call of the kernel API: it says what it waits for. Give a
    /// larger `--timeout` to a program that only needs longer.
    pub struct EndlessLoop {}
    Declaration { name: "endless-loop" }
}

declare! {
    /// # What it finds
    /// An output whose bits are not the same in all schedules of `--seeds`.
    /// # Why it matters
    /// Every schedule is one that a card may take: the result depends on who comes first.
    /// # Instead
    /// Compare two of the seeds: look for a missing barrier or wait, and for sums whose order is
    /// that of arrival.
    pub struct UnstableOutput {}
    Declaration { name: "unstable-output", needs_schedules: true }
}

declare! {
    /// # What it finds
    /// An `ASSERT` of a kernel whose condition does not hold.
    /// # Why it matters
    /// On a card it is compiled away unless the watcher is on, and the kernel goes on.
    /// # Instead
    /// Make the condition hold, or assert what does.
    pub struct AssertFailed {}
    Declaration { name: "assert-failed" }
}

declare! {
    /// # What it finds
    /// A run in which nobody can move any more: every wait, with its line. The tool sync says why,
    /// as circular-wait or starved-wait; this is what is left where it is off or cannot tell.
    /// # Why it matters
    /// On a card the program hangs, and says nothing.
    /// # Instead
    /// Follow the waits to one that nobody can end.
    pub struct Deadlock {}
    Declaration { name: "deadlock" }
}
