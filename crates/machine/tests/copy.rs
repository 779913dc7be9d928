//! A whole program through the machine: tiles go from DRAM through all five processors and back.

use crate::common::reason;
use tilewright_machine::{Ending, Event, Observer, Outcome, RunOptions, StopReason};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    Buffer, CbSpec, CompileTimeArgs, ComputeConfig, DataMovementPlace, Device, Program, Storage,
    TensorAccessorArgs,
};
use tilewright_tile::{DataFormat, Integer};

const IN: u8 = 0;
const OUT: u8 = 16;
const BLOCK: u32 = 4;

fn reader(ctx: &DataMovement<'_>) {
    let (tensor, _) = ctx.tensor_accessor(0, ctx.arg(0));
    let (first, tiles, bytes) = (ctx.arg(1), ctx.arg(2), ctx.get_tile_size(IN));
    for start in (0..tiles).step_by(BLOCK as usize) {
        let block = BLOCK.min(tiles - start);
        ctx.cb_reserve_back(IN, BLOCK);
        let to = ctx.get_write_ptr(IN);
        for tile in 0..block {
            ctx.noc_async_read_page(first + start + tile, &tensor, to + tile * bytes);
        }
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(IN, BLOCK);
    }
}

fn compute(ctx: &Compute<'_>) {
    let (tiles, first, fills) = (ctx.arg(0), ctx.arg(1), ctx.arg(2));
    ctx.compute_kernel_hw_startup(IN, IN, OUT);
    ctx.fill_tile_init();
    ctx.copy_tile_init(IN);
    for _ in (0..tiles).step_by(BLOCK as usize) {
        ctx.cb_wait_front(IN, BLOCK);
        ctx.tile_regs_acquire();
        for tile in 0..BLOCK {
            ctx.copy_tile(IN, tile, first + tile);
        }
        for tile in 0..fills {
            ctx.fill_tile(first + BLOCK + tile, 1.0);
        }
        ctx.tile_regs_commit();
        ctx.cb_pop_front(IN, BLOCK);
        ctx.cb_reserve_back(OUT, BLOCK);
        ctx.tile_regs_wait();
        ctx.pack_block(first, OUT, BLOCK);
        ctx.tile_regs_release();
        ctx.cb_push_back(OUT, BLOCK);
    }
}

fn writer(ctx: &DataMovement<'_>) {
    let (tensor, _) = ctx.tensor_accessor(0, ctx.arg(0));
    let (first, tiles, bytes) = (ctx.arg(1), ctx.arg(2), ctx.get_tile_size(OUT));
    for start in (0..tiles).step_by(BLOCK as usize) {
        let block = BLOCK.min(tiles - start);
        ctx.cb_wait_front(OUT, BLOCK);
        let from = ctx.get_read_ptr(OUT);
        for tile in 0..block {
            ctx.noc_async_write_page(first + start + tile, &tensor, from + tile * bytes);
        }
        ctx.noc_async_write_barrier();
        ctx.cb_pop_front(OUT, BLOCK);
    }
}

/// What is copied, and by which tiles of Dst.
#[derive(Clone, Copy)]
struct Way {
    format: DataFormat,
    first: u32,
    /// Tiles of Dst behind the copied ones that the vector unit fills.
    fills: u32,
}

const USUAL: Way = Way { format: DataFormat::Bfloat16, first: 0, fills: 0 };

fn program(device: &Device, from: &Buffer, to: &Buffer, cores: usize, way: Way) -> Program {
    let arch = device.architecture();
    let grid: Vec<_> = arch.grid().cores().take(cores).collect();
    let cores = || grid.iter().copied().collect::<tilewright_metal::CoreSet>();
    let mut builder = Program::builder("copy");
    let format = way.format;
    builder.circular_buffer(cores(), CbSpec::tiles(IN, "cb_in", format, 2 * BLOCK));
    builder.circular_buffer(cores(), CbSpec::tiles(OUT, "cb_out", format, 2 * BLOCK));
    let args = |buffer| CompileTimeArgs::positional(&TensorAccessorArgs::new(buffer).words());
    let read =
        builder.data_movement("reader", cores(), DataMovementPlace::Reader, args(from), reader);
    let config = ComputeConfig::default();
    let copy = builder.compute("copy", cores(), config, CompileTimeArgs::default(), compute);
    let write =
        builder.data_movement("writer", cores(), DataMovementPlace::Writer, args(to), writer);
    let each = from.pages.div_ceil(grid.len() as u32);
    for (index, core) in grid.iter().enumerate() {
        let first = (index as u32 * each).min(from.pages);
        let tiles = each.min(from.pages - first);
        builder.runtime_args(read, *core, &[from.address_word(), first, tiles]);
        builder.runtime_args(copy, *core, &[tiles, way.first, way.fills]);
        builder.runtime_args(write, *core, &[to.address_word(), first, tiles]);
    }
    builder.build(arch, device.l1_lowest()).expect("a right program")
}

struct Count(u64);

impl Observer for Count {
    fn event(&mut self, _: &Event) {
        self.0 += 1;
    }
}

/// Copies `tiles` tiles and checks that they arrived.
fn run(tiles: u32, cores: usize, options: RunOptions, observed: bool) -> Outcome {
    let mut device = Device::n150();
    let bytes: Vec<u8> = (0..tiles * 2048)
        .map(|byte| if byte % 2 == 1 { 0x3f } else { (byte / 2 * 7) as u8 })
        .collect();
    let from = device.allocate(Storage::Dram, 2048, tiles).expect("room");
    let to = device.allocate(Storage::Dram, 2048, tiles).expect("room");
    from.write(&mut device, &bytes).expect("as many bytes");
    let program = program(&device, &from, &to, cores, USUAL);
    let mut count = Count(0);
    let mut watchers: Vec<&mut dyn Observer> = Vec::new();
    if observed {
        watchers.push(&mut count);
    }
    let outcome = program.run(&mut device, options, &mut watchers).expect("stacks");
    assert_eq!(outcome.ending, Ending::Completed);
    assert!(to.read(&mut device).expect("pages") == bytes, "the copy differs");
    outcome
}

#[test]
fn copies_on_one_core_and_on_all() {
    for (tiles, cores) in [(1, 1), (7, 1), (130, 64), (64, 7)] {
        run(tiles, cores, RunOptions::default(), false);
    }
}

#[test]
fn threads_and_observers_change_nothing() {
    let options = |threads| RunOptions { seed: 5, threads, ..RunOptions::default() };
    let one = run(300, 64, options(1), false);
    for threads in [1, 2, 8] {
        assert_eq!(run(300, 64, options(threads), true), one);
    }
}

#[test]
fn seeds_change_the_schedule_but_no_value() {
    let mut digests: Vec<u64> = (0..16)
        .map(|seed| run(40, 3, RunOptions { seed, ..RunOptions::default() }, false).digest.0)
        .collect();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), 16, "every seed has a schedule of its own");
}

/// A Dst of 16 bits holds half as many tiles of 32-bit integers, and no others beside them.
#[test]
fn integers_of_32_bits_go_through_a_narrow_dst() {
    for format in [Integer::Int32, Integer::UInt32].map(DataFormat::Integer) {
        let usual = Way { format, ..USUAL };
        for (way, refused) in [
            (usual, None),
            (Way { first: 1, ..usual }, Some("in tile 4 of a 16-bit Dst")),
            (Way { fills: 1, ..usual }, Some("beside others in a section of a 16-bit Dst")),
        ] {
            let mut device = Device::n150();
            let words = (0..7 * 1024_u32).map(|at| at.wrapping_mul(0x9e37_79b1));
            let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            let from = device.allocate(Storage::Dram, 4096, 7).expect("room");
            let to = device.allocate(Storage::Dram, 4096, 7).expect("room");
            from.write(&mut device, &bytes).expect("as many bytes");
            let program = program(&device, &from, &to, 1, way);
            let outcome = program.run(&mut device, RunOptions::default(), &mut []).expect("stacks");
            let Some(refused) = refused else {
                assert_eq!(outcome.ending, Ending::Completed);
                assert!(to.read(&mut device).expect("pages") == bytes, "{format:?} differs");
                continue;
            };
            let StopReason::NotModelled(what) = reason(&outcome) else { panic!("it is refused") };
            assert!(what.contains(refused), "{what}");
        }
    }
}
