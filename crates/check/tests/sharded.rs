//! Sharded tensors, and rings in their shards: values as of interleaved ones, no finding where
//! nothing is wrong, and the faults that shards make possible.

#[cfg(target_os = "linux")]
use crate::small;
use tilewright_check::{FindingId, Session, Tools};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, CoreRange, CoreSet, DataMovementPlace,
    Device, DeviceTensor, Ending, Extent, KernelId, L1Address, Layout, MemoryConfig, NocAddress,
    Program, ProgramBuilder, RunOptions, RuntimeWords, Shape, ShardLayout, ShardOrientation,
    ShardSpec, Storage, Tensor, TensorAccessorArgs,
};
use tilewright_tile::DataFormat::Bfloat16;

const CORE: CoreCoord = CoreCoord::new(0, 0);
const RING: u8 = 0;
const OUT: u8 = 16;

fn shards(
    storage: Storage,
    layout: ShardLayout,
    shape: &[u32],
    (columns, rows): (u8, u8),
) -> MemoryConfig {
    let grid = vec![CoreRange::new(CORE, CoreCoord::new(columns - 1, rows - 1))];
    let orientation = ShardOrientation::RowMajor;
    let spec = ShardSpec { layout, grid, shape: shape.to_vec(), orientation };
    MemoryConfig { storage, shards: Some(spec) }
}

/// The same shards, dealt out column by column.
fn by_columns(mut memory: MemoryConfig) -> MemoryConfig {
    let shards = memory.shards.as_mut().expect("it is sharded");
    shards.orientation = ShardOrientation::ColMajor;
    memory
}

fn values(shape: Shape) -> Vec<f32> {
    (0..shape.volume()).map(|value| (value * 7 % 256) as f32).collect()
}

fn host(shape: Shape, layout: Layout) -> Tensor {
    let tensor = Tensor::from_f32(shape, &values(shape)).expect("values");
    tensor.convert(layout, Bfloat16).expect("a tensor")
}

/// Copies pages 0 to argument 1, of which the ring holds one at a time.
fn reader(ctx: &DataMovement<'_>) {
    let (x, _) = ctx.tensor_accessor(0, ctx.arg(0));
    for page in 0..ctx.arg(1) {
        ctx.cb_reserve_back(RING, 1);
        ctx.noc_async_read_page(page, &x, ctx.get_write_ptr(RING));
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(RING, 1);
    }
}

fn writer(ctx: &DataMovement<'_>) {
    let (y, _) = ctx.tensor_accessor(0, ctx.arg(0));
    for page in 0..ctx.arg(1) {
        ctx.cb_wait_front(RING, 1);
        ctx.noc_async_write_page(page, &y, ctx.get_read_ptr(RING));
        ctx.noc_async_write_barrier();
        ctx.cb_pop_front(RING, 1);
    }
}

const READER: &str = r#"#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, x, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"#;
const WRITER: &str = r#"#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_wait_front(0, 1);
        noc_async_write_page(page, y, get_read_ptr(0));
        noc_async_write_barrier();
        cb_pop_front(0, 1);
    }
}
"#;

/// In which language the kernels of a copy are, and where the accessors' words go.
#[derive(Clone, Copy)]
enum Kernels {
    Rust,
    RustRuntime,
    #[cfg(target_os = "linux")]
    Cpp,
}

/// A program that copies `pages` of `x` to `y` on one core.
fn copy(kernels: Kernels, [x, y]: [&DeviceTensor; 2], pages: u32) -> ProgramBuilder {
    let mut builder = Program::builder("copy");
    let page_bytes = x.buffer.page_stride;
    builder.circular_buffer(CORE, CbSpec::pages(RING, "cb", Bfloat16, page_bytes, 2));
    builder.input("x", x).output("y", y);
    if x.layout == Layout::Tile {
        builder.contributes("y", "x", Extent::Same, Extent::Same);
    }
    for (name, tensor, place) in
        [("reader", x, DataMovementPlace::Reader), ("writer", y, DataMovementPlace::Writer)]
    {
        let words = match kernels {
            Kernels::RustRuntime => {
                let runtime = RuntimeWords::RANK.and(RuntimeWords::BANKS);
                TensorAccessorArgs::with_runtime(&tensor.buffer, runtime)
            }
            Kernels::Rust => tensor.accessor_args(),
            #[cfg(target_os = "linux")]
            Kernels::Cpp => tensor.accessor_args(),
        };
        let args = CompileTimeArgs::positional(&words.words());
        let code = if name == "reader" { reader } else { writer };
        let text = if name == "reader" { READER } else { WRITER };
        let kernel = add(&mut builder, kernels, (name, place, args), CORE, (code, text));
        builder.common_args(kernel, &words.common_words());
        builder.runtime_args(kernel, CORE, &[tensor.buffer.address_word(), pages]);
    }
    builder
}

/// Adds a kernel that is there in both languages.
fn add(
    builder: &mut ProgramBuilder,
    kernels: Kernels,
    (name, place, args): (&str, DataMovementPlace, CompileTimeArgs),
    cores: impl Into<CoreSet>,
    (code, text): (fn(&DataMovement<'_>), &str),
) -> KernelId {
    match kernels {
        Kernels::Rust | Kernels::RustRuntime => {
            builder.data_movement(name, cores, place, args, code)
        }
        #[cfg(target_os = "linux")]
        Kernels::Cpp => {
            use tilewright_metal::{KernelDescription, KernelSource, SourceText};
            let text = SourceText { name: format!("{name}.cpp"), text: text.to_owned() };
            let kernel = KernelDescription::new(name, KernelSource::Text(text), cores, place);
            let compile_time_args = args.values;
            builder.kernel(KernelDescription { compile_time_args, ..kernel })
        }
    }
}

/// The languages in which every fault is tried.
fn languages() -> Vec<Kernels> {
    #[cfg(target_os = "linux")]
    if small::workshop().is_some() {
        return vec![Kernels::Rust, Kernels::Cpp];
    }
    vec![Kernels::Rust]
}

/// Runs a program under all tools: the ids of what is found.
fn found(builder: ProgramBuilder, device: &mut Device) -> Vec<FindingId> {
    let mut program = Program::new(builder.into_description(), device).expect("it is right");
    #[cfg(target_os = "linux")]
    if program.has_cpp_kernels() {
        let workshop = small::workshop().expect("a compiler: without one, these are not made");
        program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    }
    let mut session = Session::new(&program, &Tools::all());
    let outcome = program.run(device, RunOptions::default(), &mut [&mut session]);
    let outcome = outcome.expect("it runs");
    assert_eq!(outcome.ending, Ending::Completed);
    session.findings(&program, &outcome).iter().map(|finding| finding.id).collect()
}

#[track_caller]
fn check_copy(kernels: Kernels, shape: &str, layout: Layout, memory: &MemoryConfig) {
    let shape: Shape = shape.parse().expect("a shape");
    let mut device = Device::n150();
    let sharded = DeviceTensor::empty(&mut device, shape, layout, Bfloat16, memory.clone());
    let sharded = sharded.expect("it fits");
    sharded.write(&mut device, &host(shape, layout)).expect("pages");
    assert_eq!(sharded.to_host(&mut device).expect("a tensor").to_f32(), values(shape));
    let other = DeviceTensor::empty(&mut device, shape, layout, Bfloat16, memory.clone());
    let other = other.expect("it fits");
    let pages = sharded.buffer.pages;
    let ids = found(copy(kernels, [&sharded, &other], pages), &mut device);
    assert_eq!(ids, [], "{memory:?}");
    assert_eq!(other.to_host(&mut device).expect("a tensor").to_f32(), values(shape));
    // Tiles are the pages of interleaved tensors, too: kernels may copy between the two.
    if layout == Layout::Tile {
        let plain = DeviceTensor::empty(&mut device, shape, layout, Bfloat16, Storage::Dram);
        let plain = plain.expect("room");
        assert_eq!(found(copy(kernels, [&other, &plain], pages), &mut device), [], "{memory:?}");
        assert_eq!(plain.to_host(&mut device).expect("a tensor").to_f32(), values(shape));
    }
}

fn all_memories(check: impl Fn(&str, Layout, &MemoryConfig)) {
    use ShardLayout::{Block, Height, Nd, Width};
    let (tile, plain) = (Layout::Tile, Layout::RowMajor);
    for storage in [Storage::L1, Storage::Dram] {
        check("128x64", tile, &shards(storage, Height, &[32, 64], (4, 1)));
        check("64x128", tile, &shards(storage, Width, &[64, 32], (4, 1)));
        check("3x64x96", tile, &shards(storage, Nd, &[1, 32, 64], (3, 1)));
        check("64x64", plain, &shards(storage, Height, &[16, 64], (4, 1)));
        check("16x128", plain, &shards(storage, Width, &[16, 32], (4, 1)));
    }
    check("96x100", tile, &shards(Storage::L1, Block, &[64, 64], (2, 2)));
    check("32x120", plain, &shards(Storage::L1, Block, &[16, 64], (2, 2)));
    check("96x100", tile, &by_columns(shards(Storage::L1, Block, &[64, 64], (2, 2))));
    check("96x128", tile, &by_columns(shards(Storage::L1, Block, &[32, 64], (3, 2))));
    check("128x64", tile, &by_columns(shards(Storage::L1, Height, &[32, 64], (2, 2))));
    check("16x128", plain, &by_columns(shards(Storage::L1, Width, &[16, 32], (2, 2))));
}

#[test]
fn sharded_tensors_are_copied_by_rust_kernels() {
    all_memories(|shape, layout, memory| check_copy(Kernels::Rust, shape, layout, memory));
}

#[test]
fn words_may_be_runtime_arguments() {
    let memory = shards(Storage::L1, ShardLayout::Block, &[64, 64], (2, 2));
    check_copy(Kernels::RustRuntime, "96x100", Layout::Tile, &memory);
}

#[cfg(target_os = "linux")]
#[test]
fn sharded_tensors_are_copied_by_cpp_kernels() {
    if small::workshop().is_some() {
        all_memories(|shape, layout, memory| check_copy(Kernels::Cpp, shape, layout, memory));
    }
}

/// A ring in an input's shard feeds compute, and a ring in an output's shard is the result.
fn in_place(device: &mut Device, push: bool) -> (ProgramBuilder, DeviceTensor, Shape) {
    in_shards(device, push, true)
}

/// The same; unless `takes_turns`, compute takes the shard as it is, and there is no reader.
fn in_shards(
    device: &mut Device,
    push: bool,
    takes_turns: bool,
) -> (ProgramBuilder, DeviceTensor, Shape) {
    let shape: Shape = "128x64".parse().expect("a shape");
    let memory = shards(Storage::L1, ShardLayout::Height, &[32, 64], (4, 1));
    let x = host(shape, Layout::Tile).to_device(device, memory.clone()).expect("it fits");
    let y = DeviceTensor::empty(device, shape, Layout::Tile, Bfloat16, memory).expect("it fits");
    let cores = CoreRange::new(CORE, CoreCoord::new(3, 0));
    let mut builder = Program::builder("in place");
    builder.input("x", &x).output("y", &y).contributes("y", "x", Extent::Same, Extent::Same);
    builder.circular_buffer_in(cores, CbSpec::tiles(RING, "cb_x", Bfloat16, 2), "x", 0);
    builder.circular_buffer_in(cores, CbSpec::tiles(OUT, "cb_y", Bfloat16, 2), "y", 0);
    let args = CompileTimeArgs::default;
    if takes_turns {
        builder.data_movement("reader", cores, DataMovementPlace::Reader, args(), |ctx| {
            ctx.cb_reserve_back(RING, 2);
            ctx.cb_push_back(RING, 2);
        });
    }
    let compute = move |ctx: &Compute<'_>| {
        ctx.compute_kernel_hw_startup(RING, RING, OUT);
        ctx.copy_tile_init(RING);
        if takes_turns {
            ctx.cb_wait_front(RING, 2);
        }
        for tile in 0..if push { 2 } else { 1 } {
            ctx.tile_regs_acquire();
            ctx.copy_tile(RING, tile, 0);
            ctx.tile_regs_commit();
            if takes_turns {
                ctx.cb_reserve_back(OUT, 1);
            }
            ctx.tile_regs_wait();
            ctx.pack_tile(0, OUT);
            ctx.tile_regs_release();
            ctx.cb_push_back(OUT, 1);
        }
        ctx.cb_pop_front(RING, 2);
    };
    builder.compute("compute", cores, ComputeConfig::default(), args(), compute);
    (builder, y, shape)
}

#[test]
fn a_ring_in_a_shard_is_the_tensor() {
    let mut device = Device::n150();
    let (builder, y, shape) = in_place(&mut device, true);
    assert_eq!(found(builder, &mut device), []);
    assert_eq!(y.to_host(&mut device).expect("a tensor").to_f32(), values(shape));
}

/// The host has filled the shard, and reads the result: no other processor takes part.
#[test]
fn who_is_alone_at_a_shard_needs_no_turns() {
    let mut device = Device::n150();
    let (builder, y, shape) = in_shards(&mut device, true, false);
    assert_eq!(found(builder, &mut device), []);
    assert_eq!(y.to_host(&mut device).expect("a tensor").to_f32(), values(shape));
}

#[test]
fn a_page_of_an_output_shard_that_is_not_packed_is_found() {
    let mut device = Device::n150();
    let (builder, ..) = in_place(&mut device, false);
    assert_eq!(found(builder, &mut device), [FindingId::UnwrittenOutput]);
}

/// Reads so many bytes from the beginning of the second shard.
fn read_shard(ctx: &DataMovement<'_>) {
    ctx.cb_reserve_back(RING, 4);
    let address = L1Address(ctx.arg(0));
    let from = NocAddress::L1 { core: CoreCoord::new(1, 0), address };
    ctx.noc_async_read(from, ctx.get_write_ptr(RING), ctx.arg(1));
    ctx.noc_async_read_barrier();
    ctx.cb_push_back(RING, 4);
    ctx.cb_wait_front(RING, 4);
    ctx.cb_pop_front(RING, 4);
}

const READ_SHARD: &str = r#"#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 4);
    noc_async_read(x.get_shard_noc_addr(1), get_write_ptr(0), get_arg_val<uint32_t>(1));
    noc_async_read_barrier();
    cb_push_back(0, 4);
    cb_wait_front(0, 4);
    cb_pop_front(0, 4);
}
"#;

#[test]
fn reading_past_a_shard_is_found() {
    let mut device = Device::n150();
    let shape: Shape = "128x64".parse().expect("a shape");
    let memory = shards(Storage::L1, ShardLayout::Height, &[32, 64], (4, 1));
    let above = host(shape, Layout::Tile).to_device(&mut device, Storage::L1).expect("room");
    let x = host(shape, Layout::Tile).to_device(&mut device, memory).expect("it fits");
    assert_eq!(x.buffer.bank_end(), above.buffer.address, "another tensor lies behind the shard");
    let read = |kernels: Kernels, bytes: u32| {
        let mut builder = Program::builder("past");
        builder.circular_buffer(CORE, CbSpec::tiles(RING, "cb", Bfloat16, 4));
        builder.input("x", &x);
        let args = CompileTimeArgs::positional(&x.accessor_args().words());
        let kernel = ("reader", DataMovementPlace::Reader, args);
        let kernel = add(&mut builder, kernels, kernel, CORE, (read_shard, READ_SHARD));
        builder.runtime_args(kernel, CORE, &[x.buffer.address_word(), bytes]);
        builder
    };
    for kernels in languages() {
        assert_eq!(found(read(kernels, 4096), &mut device), [], "a whole shard in one transfer");
        assert_eq!(found(read(kernels, 4096 + 32), &mut device), [FindingId::OutsideTensor]);
    }
}

#[test]
fn a_page_that_a_sharded_tensor_does_not_have_is_found() {
    for kernels in languages() {
        let mut device = Device::n150();
        let shape: Shape = "128x64".parse().expect("a shape");
        let memory = shards(Storage::L1, ShardLayout::Height, &[32, 64], (4, 1));
        let x = host(shape, Layout::Tile).to_device(&mut device, memory).expect("it fits");
        let y = DeviceTensor::empty(&mut device, shape, Layout::Tile, Bfloat16, Storage::Dram);
        let y = y.expect("room");
        let ids = found(copy(kernels, [&x, &y], x.buffer.pages + 1), &mut device);
        assert!(ids.contains(&FindingId::OutsideTensor), "{ids:?}");
    }
}

/// Writes both shards of a tensor.
fn write_both(ctx: &DataMovement<'_>) {
    let (y, _) = ctx.tensor_accessor(0, ctx.arg(0));
    ctx.write_l1(ctx.get_write_ptr(RING), 2048, |bytes| bytes.fill(1));
    for page in 0..2 {
        ctx.noc_async_write_page(page, &y, ctx.get_write_ptr(RING));
    }
    ctx.noc_async_write_barrier();
}

const WRITE_BOTH: &str = r#"#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(0));
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t word = 0; word < 512; ++word) {
        words[word] = 1;
    }
    for (uint32_t page = 0; page < 2; ++page) {
        noc_async_write_page(page, y, get_write_ptr(0));
    }
    noc_async_write_barrier();
}
"#;

#[test]
fn two_cores_on_one_shard_without_order_are_found() {
    let shape: Shape = "64x32".parse().expect("a shape");
    for kernels in languages() {
        let mut device = Device::n150();
        let memory = shards(Storage::L1, ShardLayout::Height, &[32, 32], (2, 1));
        let y = DeviceTensor::empty(&mut device, shape, Layout::Tile, Bfloat16, memory);
        let y = y.expect("it fits");
        let cores = CoreRange::new(CORE, CoreCoord::new(1, 0));
        let mut builder = Program::builder("both");
        builder.circular_buffer(cores, CbSpec::tiles(RING, "cb", Bfloat16, 1).scratch());
        builder.output("y", &y);
        let args = CompileTimeArgs::positional(&y.accessor_args().words());
        let kernel = ("writer", DataMovementPlace::Writer, args);
        let kernel = add(&mut builder, kernels, kernel, cores, (write_both, WRITE_BOTH));
        for core in cores.cores() {
            builder.runtime_args(kernel, core, &[y.buffer.address_word()]);
        }
        let ids = found(builder, &mut device);
        assert!(ids.contains(&FindingId::ConflictingAccess), "{ids:?}");
    }
}
