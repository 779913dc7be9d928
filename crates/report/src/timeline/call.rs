//! What the calls of a kernel are named, and what they were given.
//!
//! Names are tt-metal's, as far as an event tells which call it was: what several calls have in
//! common has a plain name.

use tilewright_check::of_class;
use tilewright_machine::{
    Barrier, CbId, CbTile, EventKind, MathOperation, Setting, Target, UnpackOperation, Waiting,
};
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::{Broadcast, Transpose};

/// What a call was given, as far as an event tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what their names and types say")]
pub enum Given {
    /// Nothing that is shown.
    #[default]
    Nothing,
    /// Pages of a buffer.
    Pages { cb: CbId, pages: u32 },
    /// Tiles of buffers, to SrcA and SrcB.
    Tiles([Option<CbTile>; 2]),
    /// Tiles of Dst: up to two that are read, and one that is written.
    Dst { reads: [Option<u32>; 2], writes: Option<u32> },
    /// A tile of Dst to a tile of a buffer.
    Packed { dst: u32, tile: CbTile },
    /// Bytes over a network.
    Bytes(u32),
    /// A word of L1.
    Word { at: u32, value: u32 },
}

impl Given {
    /// What a call was given, from its event.
    pub(super) fn of(kind: &EventKind) -> Given {
        match kind {
            EventKind::Reserved { cb, pages }
            | EventKind::Pushed { cb, pages }
            | EventKind::Waited { cb, pages }
            | EventKind::Popped { cb, pages } => Given::Pages { cb: *cb, pages: *pages },
            EventKind::Unpacked { tiles, .. } => Given::Tiles(*tiles),
            EventKind::Computed { dst, .. } => {
                Given::Dst { reads: [None; 2], writes: Some(dst.index) }
            }
            EventKind::Vectored { reads, writes, .. } => Given::Dst {
                reads: reads.map(|it| it.map(|dst| dst.index)),
                writes: writes.map(|dst| dst.index),
            },
            EventKind::Packed { dst, tile, .. } => Given::Packed { dst: dst.index, tile: *tile },
            EventKind::ReadIssued { bytes, .. } | EventKind::WriteIssued { bytes, .. } => {
                Given::Bytes(*bytes)
            }
            EventKind::SemaphoreSet { at, value } => Given::Word { at: at.0, value: *value },
            EventKind::PointerMoved { .. }
            | EventKind::Zeros { .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | EventKind::BarrierPassed { .. }
            | EventKind::SemaphoreWaited { .. }
            | EventKind::L1Read { .. }
            | EventKind::L1Written { .. }
            | of_class!(Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting, Kernel) => {
                Given::Nothing
            }
        }
    }

    /// What a wait is for, in the same form.
    pub(super) fn waited(waiting: Waiting) -> Given {
        match waiting {
            Waiting::ForSpace { cb, asked } | Waiting::ForPages { cb, asked } => {
                Given::Pages { cb, pages: asked }
            }
            _ => Given::Nothing,
        }
    }

    /// Names and values; `name` gives a buffer's name.
    pub fn notes(self, name: impl Fn(CbId) -> String) -> Vec<(&'static str, String)> {
        let tile = |tile: CbTile| format!("{} tile {}", name(tile.cb), tile.index);
        let mut notes: Vec<(&'static str, String)> = Vec::new();
        match self {
            Given::Nothing => {}
            Given::Pages { cb, pages } => {
                notes.extend([("buffer", name(cb)), ("pages", pages.to_string())]);
            }
            Given::Tiles([a, b]) => {
                notes.extend(a.map(|it| ("SrcA", tile(it))));
                notes.extend(b.map(|it| ("SrcB", tile(it))));
            }
            Given::Dst { reads, writes } => {
                let reads = reads.into_iter().flatten().zip(["Dst read", "Dst read, second"]);
                notes.extend(reads.map(|(index, name)| (name, index.to_string())));
                notes.extend(writes.map(|index| ("Dst written", index.to_string())));
            }
            Given::Packed { dst, tile: to } => {
                notes.extend([("Dst read", dst.to_string()), ("tile", tile(to))]);
            }
            Given::Bytes(bytes) => notes.push(("bytes", bytes.to_string())),
            Given::Word { at, value } => {
                notes.extend([("address", format!("{at:#x}")), ("value", value.to_string())]);
            }
        }
        notes
    }
}

/// The name of the call that an event ends.
pub(super) fn name(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Reserved { .. } => "cb_reserve_back",
        EventKind::Pushed { .. } => "cb_push_back",
        EventKind::Waited { .. } => "cb_wait_front",
        EventKind::Popped { .. } => "cb_pop_front",
        EventKind::PointerMoved { .. } => "ring pointer",
        EventKind::DstAcquired => "tile_regs_acquire",
        EventKind::DstCommitted => "tile_regs_commit",
        EventKind::DstWaited => "tile_regs_wait",
        EventKind::DstReleased => "tile_regs_release",
        EventKind::BarrierPassed { barrier, .. } => of_barrier(*barrier),
        EventKind::SemaphoreWaited { .. } => "noc_semaphore_wait",
        EventKind::StartedUp | EventKind::StartupRepeated => "compute_kernel_hw_startup",
        EventKind::Configured(setting) => of_setting(setting),
        EventKind::Unpacked { called, .. } => of_unpack(*called),
        EventKind::Computed { called, .. } => of_math(*called),
        EventKind::Vectored { operation, .. } => operation.declared().name,
        EventKind::Packed { .. } => "pack_tile",
        EventKind::ReadIssued { .. } => "noc_async_read",
        EventKind::WriteIssued { to: Target::One(_), .. } => "noc_async_write",
        EventKind::WriteIssued { to: Target::Cores { .. }, .. } => "noc_async_write_multicast",
        EventKind::AtomicIssued { .. } => "noc_semaphore_inc",
        EventKind::SemaphoreSet { .. } => "noc_semaphore_set",
        EventKind::L1Read { .. } => "L1 read",
        EventKind::L1Written { .. } => "L1 write",
        EventKind::Blocked(waiting) => waiting_call(*waiting),
        EventKind::Zeros { .. }
        | EventKind::PageAddressed { .. }
        | EventKind::CoresMiscounted { .. }
        | EventKind::ReadLanded { .. }
        | EventKind::WriteDeparted { .. }
        | EventKind::WriteAcknowledged { .. }
        | EventKind::AtomicAcknowledged { .. }
        | EventKind::Arrived { .. }
        | of_class!(Kernel) => KERNEL,
    }
}

/// What no call of a kernel has caused.
pub(super) const KERNEL: &str = "kernel";

/// The call that a processor waits in.
pub(super) fn waiting_call(waiting: Waiting) -> &'static str {
    match waiting {
        Waiting::ForSpace { .. } => "cb_reserve_back",
        Waiting::ForPages { .. } => "cb_wait_front",
        Waiting::ForTransfers { barrier, .. } => of_barrier(barrier),
        Waiting::ForSemaphore { .. } => "noc_semaphore_wait",
        Waiting::ForDstSection => "tile_regs_acquire",
        Waiting::ForDstCommit => "tile_regs_wait",
        Waiting::ForDstDrained => "Dst drained",
        Waiting::ForFreeBank(_) => "unpack",
        Waiting::ForFullBank(_) => "math",
    }
}

fn of_barrier(barrier: Barrier) -> &'static str {
    match barrier {
        Barrier::Reads => "noc_async_read_barrier",
        Barrier::Writes => "noc_async_write_barrier",
        Barrier::WritesDeparted => "noc_async_writes_flushed",
        Barrier::PostedWritesDeparted => "noc_async_posted_writes_flushed",
        Barrier::Atomics => "noc_async_atomic_barrier",
    }
}

fn of_setting(setting: &Setting) -> &'static str {
    match setting {
        Setting::UnpackFormats(..) | Setting::AluFormat(..) => "reconfig_data_format",
        Setting::PackFormats(_) => "pack_reconfig_data_format",
        Setting::Unpack(_) | Setting::Math(_) | Setting::Vector(_) => "init",
        Setting::Pack(_) => "pack init",
        Setting::Relu => "pack_relu_config",
        Setting::Mask(_) => "reduce mask",
        Setting::Accumulate => "pack_reconfig_l1_acc",
    }
}

fn of_unpack(called: UnpackOperation) -> &'static str {
    match called {
        UnpackOperation::One { transpose: Transpose::None, .. } => "unpack one tile",
        UnpackOperation::One { transpose: Transpose::Whole, .. } => "unpack, transposed",
        UnpackOperation::One { transpose: Transpose::Faces, .. } => "unpack, faces swapped",
        UnpackOperation::One { transpose: Transpose::Within, .. } => "unpack, faces transposed",
        UnpackOperation::Both => "unpack two tiles",
        UnpackOperation::Tilize { .. } => "unpack, tilized",
    }
}

fn of_math(called: MathOperation) -> &'static str {
    match called {
        MathOperation::Copy => "copy_tile",
        MathOperation::Move => "fast_tilize_block",
        MathOperation::Broadcast { .. } => "unary_bcast",
        MathOperation::Elementwise { reuse: Some(_), .. } => "binary_dest_reuse_tiles",
        MathOperation::Elementwise { op, broadcast, .. } => match (op, broadcast) {
            (Elementwise::Add, Broadcast::None) => "add_tiles",
            (Elementwise::Sub, Broadcast::None) => "sub_tiles",
            (Elementwise::Mul, Broadcast::None) => "mul_tiles",
            (Elementwise::Add, _) => "add_tiles_bcast",
            (Elementwise::Sub, _) => "sub_tiles_bcast",
            (Elementwise::Mul, _) => "mul_tiles_bcast",
        },
        MathOperation::Matmul { .. } => "matmul_tiles",
        MathOperation::Reduce { .. } => "reduce_tile",
    }
}
