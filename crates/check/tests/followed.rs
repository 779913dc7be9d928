//! What the tools init and value find in small programs, drawn for a terminal, and what they leave
//! alone; and semaphores without a first value.

use crate::common::Rig;
use crate::small::{Computing, Movement, idle, ids, is_alone, no_compute, watch};
use tilewright_check::{Finding, Tools, undeclared};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::reserved_l1::ZEROS;
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, CoreRange, DataMovementPlace, Device,
    DeviceTensor, Extent, L1Address, Layout, NocAddress, Program, RunOptions, Storage, Tensor,
    TensorAccessor,
};
use tilewright_tile::DataFormat::Bfloat16;
use tilewright_tile::fpu::{Pool, ReduceDim};

const HERE: CoreCoord = CoreCoord::new(0, 0);

/// A program that makes `y` of `x`, tile by tile or a sum of each row's tiles, through `cb_in` (0)
/// and `cb_out` (16), rings of two pages; `cb_mask` (1) is for a mask. A semaphore is on the core
/// to the right alone.
#[derive(Clone, Copy)]
struct Small {
    x: &'static str,
    y: &'static str,
    columns: Extent,
    cores: u8,
    tools: &'static str,
}

const TILES: Small =
    Small { x: "32x64", y: "32x64", columns: Extent::Same, cores: 1, tools: "sync,dst,init,value" };

impl Small {
    fn run(self, reader: Movement, compute: Computing, writer: Movement) -> Vec<Finding> {
        self.run_on(Device::n150(), reader, compute, writer)
    }

    fn run_on(
        self,
        mut device: Device,
        reader: Movement,
        compute: Computing,
        writer: Movement,
    ) -> Vec<Finding> {
        let shape = self.x.parse().expect("a shape");
        let values = vec![1.0; 32 * 128];
        let host = Tensor::from_f32(shape, &values[..shape.volume()]).expect("values");
        let host = host.convert_padded(Layout::Tile, Bfloat16, 3.0).expect("a tensor");
        let x = host.to_device(&mut device, Storage::Dram).expect("room");
        let (shape, storage) = (self.y.parse().expect("a shape"), Storage::Dram);
        let y =
            DeviceTensor::empty(&mut device, shape, Layout::Tile, Bfloat16, storage).expect("room");
        let mut rig = Rig::on(device);
        let builder = &mut rig.builder;
        let cores = CoreRange::new(HERE, CoreCoord::new(self.cores - 1, 0));
        for (id, name) in [(0, "cb_in"), (1, "cb_mask"), (16, "cb_out")] {
            builder.circular_buffer(cores, CbSpec::tiles(id, name, Bfloat16, 2));
        }
        builder.semaphore(CoreRange::from(CoreCoord::new(5, 0)), 0);
        builder.input("x", &x).output("y", &y).contributes("y", "x", Extent::Same, self.columns);
        let args = |tensor: &DeviceTensor| {
            let mut words = Vec::new();
            tensor.accessor_args().append_to(&mut words);
            CompileTimeArgs::positional(&words)
        };
        let (read_at, write_at) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
        let read = builder.data_movement("reader", cores, read_at, args(&x), reader);
        let none = CompileTimeArgs::default();
        builder.compute("compute", cores, ComputeConfig::default(), none, compute);
        let write = builder.data_movement("writer", cores, write_at, args(&y), writer);
        for core in cores.cores() {
            builder.runtime_args(read, core, &[x.buffer.address_word(), u32::from(core.x)]);
            builder.runtime_args(write, core, &[y.buffer.address_word()]);
        }
        watch(&mut rig, self.tools, RunOptions::default()).report.findings()
    }

    /// The program has this finding alone, drawn as stored.
    #[track_caller]
    fn finds(self, id: &str, reader: Movement, compute: Computing, writer: Movement) {
        self.finds_as(id, id, reader, compute, writer);
    }

    #[track_caller]
    fn finds_as(self, name: &str, id: &str, read: Movement, compute: Computing, write: Movement) {
        is_alone(&self.run(read, compute, write), (name, id));
    }

    #[track_caller]
    fn is_silent(self, reader: Movement, compute: Computing, writer: Movement) {
        let found = self.run(reader, compute, writer);
        assert!(found.is_empty(), "{found:#?}");
    }
}

/// Reads pages of `x` into `cb_in`, those that are asked for; the others are pushed as they are.
fn read(k: &DataMovement<'_>, pages: u32, is_read: impl Fn(u32) -> bool) {
    let (x, _) = k.tensor_accessor(0, k.arg(0));
    for page in 0..pages {
        k.cb_reserve_back(0, 1);
        if is_read(page) {
            k.noc_async_read_page(page, &x, k.get_write_ptr(0));
            k.noc_async_read_barrier();
        }
        k.cb_push_back(0, 1);
    }
}

/// Writes pages of `cb_out` to `y`; those that are not asked for are popped alone.
fn write(k: &DataMovement<'_>, pages: u32, is_written: impl Fn(u32) -> bool) {
    let (y, _) = k.tensor_accessor(0, k.arg(0));
    for page in 0..pages {
        k.cb_wait_front(16, 1);
        if is_written(page) {
            k.noc_async_write_page(page, &y, k.get_read_ptr(16));
            k.noc_async_write_barrier();
        }
        k.cb_pop_front(16, 1);
    }
}

fn start(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(0, 0, 16);
    k.copy_tile_init(0);
}

/// Gives a section of Dst to pack and packs one tile of it.
fn pack(k: &Compute<'_>, tile: u32) {
    k.tile_regs_commit();
    k.cb_reserve_back(16, 1);
    k.tile_regs_wait();
    k.pack_tile(tile, 16);
    k.tile_regs_release();
    k.cb_push_back(16, 1);
}

fn copy(k: &Compute<'_>, pages: u32) {
    start(k);
    for _ in 0..pages {
        k.cb_wait_front(0, 1);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.cb_pop_front(0, 1);
        pack(k, 0);
    }
}

#[test]
fn a_page_that_nobody_has_written() {
    let copied: (Computing, Movement) = (|k| copy(k, 2), |k| write(k, 2, |_| true));
    let (compute, writer) = copied;
    TILES.finds("uninitialised-page", |k| read(k, 2, |page| page == 0), compute, writer);
    TILES.is_silent(|k| read(k, 2, |_| true), compute, writer);
}

/// Copying what nobody has written is no fault as long as it does not get into an output.
#[test]
fn a_page_that_is_not_used() {
    let reader: Movement = |k| read(k, 3, |page| page != 2);
    TILES.is_silent(reader, |k| copy(k, 3), |k| write(k, 3, |page| page != 2));
}

#[test]
fn a_page_of_an_earlier_lap() {
    let small = Small { x: "32x128", y: "32x128", ..TILES };
    let copied: (Computing, Movement) = (|k| copy(k, 4), |k| write(k, 4, |_| true));
    let (compute, writer) = copied;
    small.finds("stale-lap", |k| read(k, 4, |page| page != 2), compute, writer);
    small.is_silent(|k| read(k, 4, |_| true), compute, writer);
}

/// Fills both pages of a ring of its own, takes them back by a pop, and pushes them again as they
/// are; reads the first one before that and writes it anew where it is, if asked for.
fn take_back(k: &Compute<'_>, is_read: bool, is_rewritten: bool) {
    start(k);
    k.cb_reserve_back(1, 2);
    k.cb_wait_front(0, 2);
    for page in 0..2 {
        k.tile_regs_acquire();
        k.copy_tile(0, page, 0);
        k.tile_regs_commit();
        k.tile_regs_wait();
        k.pack_tile(0, 1);
        k.tile_regs_release();
    }
    k.cb_pop_front(0, 2);
    k.cb_push_back(1, 2);
    k.cb_wait_front(1, 2);
    if is_read {
        k.tile_regs_acquire();
        k.copy_tile(1, 0, 0);
        k.tile_regs_commit();
        k.tile_regs_wait();
        if is_rewritten {
            k.pack_tile(0, 1);
        }
        k.tile_regs_release();
    }
    k.cb_pop_front(1, 2);
    k.cb_reserve_back(1, 2);
    k.cb_push_back(1, 2);
    k.cb_wait_front(1, 2);
    for page in 0..2 {
        k.tile_regs_acquire();
        k.copy_tile(1, page, 0);
        pack(k, 0);
    }
    k.cb_pop_front(1, 2);
}

/// A compute kernel that pops pages of its own has not used up those that are unread, or written
/// since they were read.
#[test]
fn pages_that_are_taken_back() {
    let (reader, writer): (Movement, Movement) =
        (|k| read(k, 2, |_| true), |k| write(k, 2, |_| true));
    TILES.is_silent(reader, |k| take_back(k, false, false), writer);
    let init = Small { tools: "init", ..TILES };
    let found = init.run(reader, |k| take_back(k, true, false), writer);
    assert_eq!(ids(&found), ["stale-lap"], "{found:#?}");
    init.is_silent(reader, |k| take_back(k, true, true), writer);
}

/// Fills the first pages of `cb_in` with zeros, then writes two bytes of every 16 in the pages that
/// are asked for, and pushes all.
fn fill_sparsely(k: &DataMovement<'_>, zeros: u32, is_written: impl Fn(u32) -> bool) {
    let (page_bytes, zero_bytes) = (k.get_tile_size(0), ZEROS.end - ZEROS.start);
    k.cb_reserve_back(0, zeros);
    for at in (0..zeros * page_bytes).step_by(zero_bytes as usize) {
        let from = k.get_noc_addr(HERE, L1Address(ZEROS.start));
        k.noc_async_read(from, k.get_write_ptr(0) + at, zero_bytes);
    }
    k.noc_async_read_barrier();
    for page in 0..4 {
        k.cb_reserve_back(0, 1);
        for at in (0..page_bytes).step_by(16).filter(|_| is_written(page)) {
            k.write_l1(k.get_write_ptr(0) + at, 2, |bytes| bytes.fill(0x3f));
        }
        k.cb_push_back(0, 1);
    }
}

/// Zeros that fill a ring before its first push are there on every lap. What is written over them
/// is not.
#[test]
fn pages_with_zeros_from_before_the_first_lap() {
    let small = Small { x: "32x128", y: "32x128", tools: "init", ..TILES };
    let copied: (Computing, Movement) = (|k| copy(k, 4), |k| write(k, 4, |_| true));
    let (compute, writer) = copied;
    small.is_silent(|k| fill_sparsely(k, 2, |_| true), compute, writer);
    let found = small.run(|k| fill_sparsely(k, 2, |page| page != 2), compute, writer);
    assert_eq!(ids(&found), ["stale-lap"], "{found:#?}");
    let found = small.run(|k| fill_sparsely(k, 1, |_| true), compute, writer);
    assert!(!found.is_empty(), "one page of zeros is no ring of them");
}

/// With the tool memory; what the others find then is a consequence.
const BOUNDED: Small = Small { tools: "sync,race,init,memory,dst,value", ..TILES };

/// Brings a page of `x` that it may not have, or some bytes from a place of `x`.
fn stray(k: &DataMovement<'_>, bring: impl Fn(&DataMovement<'_>, &TensorAccessor, L1Address)) {
    let (x, _) = k.tensor_accessor(0, k.arg(0));
    k.cb_reserve_back(0, 2);
    bring(k, &x, k.get_write_ptr(0));
    k.noc_async_read_barrier();
    k.cb_push_back(0, 2);
}

/// `x` has pages 0 and 1, in the first two banks; `y` follows it in every bank.
#[test]
fn a_page_beyond_the_last() {
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 2), |k| write(k, 2, |_| true));
    let reader: Movement = |k| {
        stray(k, |k, x, to| {
            k.noc_async_read_page(0, x, to);
            k.noc_async_read_page(12, x, to + 2048);
        });
    };
    BOUNDED.finds("outside-tensor", reader, compute, writer);
    // Nothing lies in the third bank.
    let reader: Movement = |k| {
        stray(k, |k, x, to| {
            k.noc_async_read_page(0, x, to);
            k.noc_async_read(x.page(2), to + 2048, 2048);
        });
    };
    BOUNDED.finds_as("outside-tensor-bank", "outside-tensor", reader, compute, writer);
    // Who only reckons where a page would be goes nowhere.
    let reader: Movement = |k| {
        stray(k, |k, x, to| {
            k.noc_async_read_page(0, x, to);
            k.noc_async_read(x.page(1), to + 2048, 1024);
            k.noc_async_read(x.page_offset(1, 1024), to + 3072, 1024);
            assert_ne!(x.page(2), x.page(1));
        });
    };
    BOUNDED.is_silent(reader, compute, writer);
}

#[test]
fn bytes_beyond_a_page() {
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 2), |k| write(k, 2, |_| true));
    let reader: Movement = |k| stray(k, |k, x, to| k.noc_async_read(x.page(0), to, 4096));
    BOUNDED.finds_as("outside-tensor-bytes", "outside-tensor", reader, compute, writer);
    let reader: Movement = |k| read(k, 2, |_| true);
    let writer: Movement = |k| {
        let (y, _) = k.tensor_accessor(0, k.arg(0));
        k.cb_wait_front(16, 2);
        let from = k.get_read_ptr(16);
        k.noc_async_write_page(0, &y, from);
        k.noc_async_write_page(1, &y, from + 2048);
        k.noc_async_write(from, y.page_offset(1, 1536), 1024);
        k.noc_async_write_barrier();
        k.cb_pop_front(16, 2);
    };
    BOUNDED.finds_as("outside-tensor-inside", "outside-tensor", reader, compute, writer);
}

/// What a reduction leaves beside its results: zeros for the packers' mask, nobody's without it.
#[test]
fn what_a_reduction_leaves() {
    let small = Small { x: "32x32", y: "32x32", ..TILES };
    let reader: Movement = |k| {
        let (x, _) = k.tensor_accessor(0, k.arg(0));
        for cb in [0, 1] {
            k.cb_reserve_back(cb, 1);
            k.noc_async_read_page(0, &x, k.get_write_ptr(cb));
            k.noc_async_read_barrier();
            k.cb_push_back(cb, 1);
        }
    };
    fn reduce(k: &Compute<'_>, is_masked: bool) {
        k.compute_kernel_hw_startup(0, 1, 16);
        k.cb_wait_front(0, 1);
        k.cb_wait_front(1, 1);
        k.reduce_init(Pool::Max, ReduceDim::Row, 0, 1, 16);
        k.tile_regs_acquire();
        k.reduce_tile(Pool::Max, ReduceDim::Row, (0, 0), (1, 0), 0);
        if !is_masked {
            k.reduce_uninit();
        }
        pack(k, 0);
    }
    let writer: Movement = |k| write(k, 1, |_| true);
    let name = "uninitialised-dst-reduced";
    small.finds_as(name, "uninitialised-dst", reader, |k| reduce(k, false), writer);
    small.is_silent(reader, |k| reduce(k, true), writer);
    // Its first column alone is an output of such a shape.
    Small { y: "32x1", ..small }.is_silent(reader, |k| reduce(k, false), writer);
}

/// Maxima of rows go on from those that are in the first row of each left face of Dst: half of them
/// are in the first row of the tile.
#[test]
fn maxima_that_go_on_from_others() {
    let reader: Movement = |k| {
        fill_ring(k);
        read(k, 1, |_| true);
    };
    let compute: Computing = |k| {
        k.compute_kernel_hw_startup(0, 1, 16);
        k.cb_wait_front(0, 1);
        k.cb_wait_front(1, 2);
        k.tile_regs_acquire();
        k.copy_tile_init(0);
        k.copy_tile(0, 0, 0);
        k.reduce_init(Pool::Max, ReduceDim::Row, 1, 1, 16);
        for _ in 0..2 {
            k.reduce_tile(Pool::Max, ReduceDim::Row, (1, 1), (1, 0), 0);
        }
        pack(k, 0);
    };
    let writer: Movement = |k| write(k, 1, |_| true);
    let row = Small { x: "1x32", y: "16x1", ..TILES };
    row.is_silent(reader, compute, writer);
    let more_rows = Small { y: "17x1", ..row }.run(reader, compute, writer);
    assert_eq!(ids(&more_rows), ["padding-in-output"], "{more_rows:#?}");
    let column = Small { x: "16x1", ..row }.run(reader, compute, writer);
    assert_eq!(ids(&column), ["padding-in-output"], "{column:#?}");
}

/// Pushes two tiles of ones to `cb_mask`.
fn fill_ring(k: &DataMovement<'_>) {
    k.cb_reserve_back(1, 2);
    k.write_l1(k.get_write_ptr(1), 2 * k.get_tile_size(1), |bytes| {
        bytes.chunks_exact_mut(2).for_each(|value| value.copy_from_slice(&[0x80, 0x3f]));
    });
    k.cb_push_back(1, 2);
}

#[test]
fn a_tile_of_dst_that_nobody_has_written() {
    let small = Small { x: "32x32", y: "32x32", ..TILES };
    let (reader, writer): (Movement, Movement) =
        (|k| read(k, 1, |_| true), |k| write(k, 1, |_| true));
    let compute: Computing = |k| {
        start(k);
        k.cb_wait_front(0, 1);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0);
        pack(k, 0);
    };
    small.finds("uninitialised-dst", reader, compute, writer);
    let compute: Computing = |k| {
        start(k);
        k.cb_wait_front(0, 1);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.fill_tile_init();
        k.fill_tile(1, 0.0);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0);
        pack(k, 0);
    };
    small.is_silent(reader, compute, writer);
}

/// Pushes a mask of the first 20 columns: the others are zero.
fn push_mask(k: &DataMovement<'_>) {
    k.cb_reserve_back(1, 1);
    k.write_l1(k.get_write_ptr(1), k.get_tile_size(1), |bytes| {
        for (lane, value) in bytes.chunks_exact_mut(2).enumerate() {
            let is_kept = tilewright_tile::position(lane).1 < 20;
            value.copy_from_slice(if is_kept { &[0x80, 0x3f] } else { &[0, 0] });
        }
    });
    k.cb_push_back(1, 1);
}

#[test]
fn the_padding_of_an_input() {
    let small = Small { x: "32x20", y: "32x20", ..TILES };
    let (reader, writer): (Movement, Movement) = (
        |k| {
            push_mask(k);
            read(k, 1, |_| true);
        },
        |k| write(k, 1, |_| true),
    );
    let mixing: Computing = |k| {
        start(k);
        k.cb_wait_front(0, 1);
        k.cb_wait_front(1, 1);
        k.tile_regs_acquire();
        k.matmul_init(0, 0, false);
        k.matmul_tiles(0, 0, 0, 0, 0);
        pack(k, 0);
    };
    small.finds("padding-in-output", reader, mixing, writer);
    let masked: Computing = |k| {
        start(k);
        k.cb_wait_front(0, 1);
        k.cb_wait_front(1, 1);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.copy_tile(1, 0, 1);
        k.mask_tile_init();
        k.mask_tile(0, 1);
        k.transpose_dest_init();
        k.transpose_dest(0);
        pack(k, 0);
    };
    small.is_silent(reader, masked, writer);
    let unmasked: Computing = |k| {
        start(k);
        k.cb_wait_front(0, 1);
        k.cb_wait_front(1, 1);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.transpose_dest_init();
        k.transpose_dest(0);
        pack(k, 0);
    };
    let found = small.run(reader, unmasked, writer);
    assert_eq!(found[0].id.name(), "padding-in-output", "{found:#?}");
}

/// Pushes scalers for columns of so many rows: a face of data has its own in its first row.
fn push_scalers(k: &DataMovement<'_>, rows: usize) {
    k.cb_reserve_back(1, 1);
    k.write_l1(k.get_write_ptr(1), k.get_tile_size(1), |bytes| {
        for (lane, value) in bytes.chunks_exact_mut(2).enumerate() {
            let (face, row, place) = (lane / 256, lane / 16 % 16, lane % 16);
            let is_used = row == 0 && face / 2 * 16 + place < rows;
            value.copy_from_slice(if is_used { &[0x80, 0x3f] } else { &[0, 0] });
        }
    });
    k.cb_push_back(1, 1);
}

/// A sum takes nothing of what it scales by zero, and such a value has no part in a maximum.
#[test]
fn padding_that_is_scaled_by_zero() {
    fn reduce(k: &Compute<'_>, pool: Pool) {
        k.compute_kernel_hw_startup(0, 1, 16);
        k.cb_wait_front(0, 1);
        k.cb_wait_front(1, 1);
        k.reduce_init(pool, ReduceDim::Column, 0, 1, 16);
        k.tile_regs_acquire();
        k.reduce_tile(pool, ReduceDim::Column, (0, 0), (1, 0), 0);
        pack(k, 0);
    }
    let small = Small { x: "20x32", y: "1x32", ..TILES };
    let kernels: [Computing; 2] = [|k| reduce(k, Pool::Sum), |k| reduce(k, Pool::Max)];
    let writer: Movement = |k| write(k, 1, |_| true);
    for compute in kernels {
        let some: Movement = |k| {
            push_scalers(k, 20);
            read(k, 1, |_| true);
        };
        small.is_silent(some, compute, writer);
        let one_more: Movement = |k| {
            push_scalers(k, 21);
            read(k, 1, |_| true);
        };
        let found = small.run(one_more, compute, writer);
        assert_eq!(found[0].id.name(), "padding-in-output", "{found:#?}");
    }
}

/// A product with zeros lets nothing through, as a mask does.
#[test]
fn padding_that_is_multiplied_by_zero() {
    let small = Small { x: "32x20", y: "32x32", ..TILES };
    let (reader, writer): (Movement, Movement) = (
        |k| {
            push_mask(k);
            read(k, 1, |_| true);
        },
        |k| write(k, 1, |_| true),
    );
    let product: Computing = |k| {
        start(k);
        k.cb_wait_front(0, 1);
        k.cb_wait_front(1, 1);
        k.tile_regs_acquire();
        k.mul_init(0, 1);
        k.mul_tiles(0, 1, 0, 0, 0);
        pack(k, 0);
    };
    small.is_silent(reader, product, writer);
    let copied: Computing = |k| {
        k.cb_wait_front(1, 1);
        copy(k, 1);
    };
    let found = small.run(reader, copied, writer);
    assert_eq!(found[0].id.name(), "padding-in-output", "{found:#?}");
}

#[test]
fn a_page_of_an_output_that_nobody_writes() {
    let reader: Movement = |k| read(k, 2, |_| true);
    TILES.finds("unwritten-output", reader, |k| copy(k, 2), |k| write(k, 2, |page| page == 0));
}

#[test]
fn a_kernel_that_reads_what_nobody_has_written() {
    let small = Small { x: "32x32", y: "32x32", ..TILES };
    let writer: Movement = |k| write(k, 1, |_| true);
    small.finds(
        "uninitialised-branch",
        |k| {
            k.read_l1(k.get_write_ptr(0), 4, |word| assert_eq!(word.len(), 4));
            read(k, 1, |_| true);
        },
        |k| copy(k, 1),
        writer,
    );
    small.is_silent(
        |k| {
            k.write_l1(k.get_write_ptr(0), 4, |word| word.fill(7));
            k.read_l1(k.get_write_ptr(0), 4, |word| assert_eq!(word[0], 7));
            read(k, 1, |_| true);
        },
        |k| copy(k, 1),
        writer,
    );
}

#[test]
fn a_semaphore_without_a_first_value() {
    let small = Small { x: "32x32", y: "32x32", ..TILES };
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 1), |k| write(k, 1, |_| true));
    let waiting: Movement = |k| {
        k.noc_semaphore_wait_min(k.get_semaphore(0), 0);
        read(k, 1, |_| true);
    };
    small.finds("uninitialised-semaphore", waiting, compute, writer);
    let raising: Movement = |k| {
        k.noc_semaphore_inc(k.get_noc_addr(HERE, k.get_semaphore(0)), 1);
        k.noc_async_atomic_barrier();
        read(k, 1, |_| true);
    };
    small.finds_as(
        "uninitialised-semaphore-raised",
        "uninitialised-semaphore",
        raising,
        compute,
        writer,
    );
    let set: Movement = |k| {
        k.noc_semaphore_set(k.get_semaphore(0), 0);
        k.noc_semaphore_wait_min(k.get_semaphore(0), 0);
        read(k, 1, |_| true);
    };
    small.is_silent(set, compute, writer);
}

/// The first byte behind the circular buffers.
fn behind(k: &DataMovement<'_>) -> L1Address {
    k.get_write_ptr(16) + 2 * k.get_tile_size(16)
}

/// Pushes a page that is read from `from`.
fn read_from(k: &DataMovement<'_>, from: NocAddress) {
    k.cb_reserve_back(0, 1);
    k.noc_async_read(from, k.get_write_ptr(0), k.get_tile_size(0));
    k.noc_async_read_barrier();
    k.cb_push_back(0, 1);
}

#[test]
fn memory_behind_the_buffers_that_nobody_has_written() {
    let small = Small { x: "32x32", y: "32x32", ..TILES };
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 1), |k| write(k, 1, |_| true));
    let elsewhere: Movement = |k| read_from(k, k.get_noc_addr(CoreCoord::new(3, 3), behind(k)));
    small.finds("uninitialised-l1", elsewhere, compute, writer);
    let own: Movement = |k| read_from(k, k.get_noc_addr(HERE, behind(k)));
    let found = small.run(own, compute, writer);
    assert_eq!(found[0].id.name(), "uninitialised-l1", "{found:#?}");
    // A page that lies there for a while, and bytes that go nowhere.
    let parked: Movement = |k| {
        let (x, _) = k.tensor_accessor(0, k.arg(0));
        let at = behind(k);
        k.noc_async_read_page(0, &x, at);
        k.noc_async_read(k.get_noc_addr(CoreCoord::new(3, 3), at), at + 4096, 64);
        k.noc_async_read_barrier();
        read_from(k, k.get_noc_addr(HERE, at));
    };
    small.is_silent(parked, compute, writer);
}

/// A tensor of the host in L1 that no program declares: the host may have written it.
#[test]
fn memory_of_the_host_counts_as_written() {
    let small = Small { x: "32x32", y: "32x32", ..TILES };
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 1), |k| write(k, 1, |_| true));
    let reader: Movement = |k| {
        k.read_l1(L1Address(1464 * 1024 - 2048), 2048, |_| ());
        read(k, 1, |_| true);
    };
    let found = small.run(reader, compute, writer);
    assert_eq!(found[0].id.name(), "uninitialised-branch", "nothing is allocated: {found:#?}");
    let mut device = Device::n150();
    let (shape, storage) = ("2048x32".parse().expect("a shape"), Storage::L1);
    DeviceTensor::empty(&mut device, shape, Layout::Tile, Bfloat16, storage).expect("room");
    assert!(small.run_on(device, reader, compute, writer).is_empty());
}

#[test]
fn a_kernel_that_reads_outside_of_buffers() {
    let small = Small { x: "32x32", y: "32x32", ..TILES };
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 1), |k| write(k, 1, |_| true));
    let reader: Movement = |k| {
        k.read_l1(behind(k) + 64, 8, |_| ());
        read(k, 1, |_| true);
    };
    small.finds_as("uninitialised-branch-l1", "uninitialised-branch", reader, compute, writer);
    let reader: Movement = |k| {
        k.read_l1(k.get_semaphore(0), 4, |_| ());
        read(k, 1, |_| true);
    };
    let found = small.run(reader, compute, writer);
    assert!(found[0].title.contains("4 bytes of semaphore 0 that were not written"), "{found:#?}");
    let reader: Movement = |k| {
        k.write_l1(behind(k) + 64, 4, |bytes| bytes.fill(1));
        k.read_l1(behind(k) + 64, 8, |_| ());
        k.noc_semaphore_set(k.get_semaphore(0), 1);
        k.read_l1(k.get_semaphore(0), 4, |_| ());
        read(k, 1, |_| true);
    };
    small.is_silent(reader, compute, writer);
}

#[test]
fn a_word_behind_the_buffers_as_a_semaphore() {
    let small = Small { x: "32x32", y: "32x32", ..TILES };
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 1), |k| write(k, 1, |_| true));
    let waiting: Movement = |k| {
        k.noc_semaphore_wait_min(behind(k), 0);
        read(k, 1, |_| true);
    };
    let id = "uninitialised-semaphore";
    small.finds_as("uninitialised-semaphore-l1", id, waiting, compute, writer);
    // What was copied to the word is no better than where it came from.
    let copied: Movement = |k| {
        k.noc_async_read(k.get_noc_addr(CoreCoord::new(3, 3), behind(k)), behind(k), 16);
        k.noc_async_read_barrier();
        k.noc_semaphore_wait_min(behind(k), 0);
        read(k, 1, |_| true);
    };
    let found = small.run(copied, compute, writer);
    assert_eq!(found[0].id.name(), "uninitialised-branch", "{found:#?}");
    let set: Movement = |k| {
        k.noc_semaphore_set(behind(k), 0);
        k.noc_semaphore_wait_min(behind(k), 0);
        read(k, 1, |_| true);
    };
    small.is_silent(set, compute, writer);
}

/// Adds up tiles of `cb_in`, all that are asked for, and pops them all.
fn add_up(k: &Compute<'_>, pages: u32, is_added: impl Fn(u32) -> bool) {
    start(k);
    k.tile_regs_acquire();
    k.fill_tile_init();
    k.fill_tile(0, 0.0);
    for page in 0..pages {
        k.cb_wait_front(0, 1);
        if is_added(page) {
            k.copy_tile_init(0);
            k.copy_tile(0, 0, 1);
            k.add_binary_tile_init();
            k.add_binary_tile(0, 1, 0);
        }
        k.cb_pop_front(0, 1);
    }
    pack(k, 0);
}

#[test]
fn a_sum_that_leaves_a_tile_out() {
    let small = Small { x: "32x128", y: "32x32", columns: Extent::All, ..TILES };
    let (reader, writer): (Movement, Movement) =
        (|k| read(k, 4, |_| true), |k| write(k, 1, |_| true));
    small.finds("lost-contribution", reader, |k| add_up(k, 4, |page| page != 3), writer);
    small.is_silent(reader, |k| add_up(k, 4, |_| true), writer);
}

#[test]
fn a_page_that_another_core_writes_over() {
    let small = Small { x: "32x64", y: "32x32", columns: Extent::All, cores: 2, ..TILES };
    let reader: Movement = |k| {
        let (x, _) = k.tensor_accessor(0, k.arg(0));
        k.cb_reserve_back(0, 1);
        k.noc_async_read_page(k.arg(1), &x, k.get_write_ptr(0));
        k.noc_async_read_barrier();
        k.cb_push_back(0, 1);
    };
    let writer: Movement = |k| write(k, 1, |_| true);
    let (name, id) = ("lost-contribution-replaced", "lost-contribution");
    small.finds_as(name, id, reader, |k| copy(k, 1), writer);
}

#[test]
fn a_program_that_does_nothing_has_not_written_its_output() {
    let found = TILES.run(idle, no_compute, idle);
    assert_eq!(found[0].id.name(), "unwritten-output", "{found:#?}");
}

#[test]
fn what_is_not_declared_is_said() {
    let device = Device::n150();
    let mut builder = Program::builder("small");
    let (place, none) = (DataMovementPlace::Reader, CompileTimeArgs::default());
    builder.data_movement("reader", HERE, place, none, idle);
    let program = builder.build(device.architecture(), device.l1_lowest()).expect("a program");
    let said = "`small` declares no outputs: uninitialised data is not looked for in them";
    assert_eq!(undeclared(&program, &Tools::parse("sync,dst,init,value").expect("tools")), [said]);
    assert!(undeclared(&program, &Tools::parse("sync,value").expect("tools")).is_empty());
    for operation in tilewright_ops::operations() {
        let mut device = Device::n150();
        let shape = "32x64".parse().expect("a shape");
        let mut request = tilewright_ops::Request::new(shape, Bfloat16);
        request.settings = operation.settings(Bfloat16);
        let prepared = operation.prepare(&mut device, &request).expect("a program");
        for program in &prepared.programs {
            assert!(
                undeclared(program, &Tools::parse("sync,dst,init,value").expect("tools"))
                    .is_empty(),
                "{}",
                operation.name()
            );
        }
    }
}
