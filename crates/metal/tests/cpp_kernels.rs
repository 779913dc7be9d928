//! C++ kernels do what Rust kernels do, event for event.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::common::{Log, ORIGIN, completed};
use crate::cpp_common::{kernel, options, workshop};
use tilewright_machine::{
    Event, EventKind, Outcome, Processor, RunOptions, Setting, SourceId, TransferId,
};
use tilewright_metal::api::{Compute, DataMovement, Init, OnTile, UNARY_TILES};
use tilewright_metal::cpp::{CppKernel, CppRole, CppSource, Workshop};
use tilewright_metal::{
    Buffer, CbSpec, CompileTimeArgs, ComputeConfig, DataMovementPlace, Device, Program,
    ProgramBuilder, Storage, TensorAccessorArgs,
};
use tilewright_tile::{DataFormat, DstWidth};

const TILES: u32 = 24;
const FORMAT: DataFormat = DataFormat::Bfloat16;

/// Two inputs and an output in DRAM, the inputs filled with values that differ everywhere.
fn tensors(device: &mut Device) -> [Buffer; 3] {
    let buffers =
        [0, 1, 2].map(|_| device.allocate(Storage::Dram, 2048, TILES).expect("DRAM has room"));
    for (seed, buffer) in (1_u32..).zip(&buffers[..2]) {
        for page in 0..TILES {
            let bytes: Vec<u8> = (0..1024_u32)
                .flat_map(|index| {
                    let mixed = index.wrapping_add(page * 1024).wrapping_mul(2_654_435_761);
                    let value = mixed.wrapping_mul(seed) >> 20;
                    (0x3f00 | (value as u16 & 0x80ff)).to_le_bytes()
                })
                .collect();
            buffer.write_page(device, page, &bytes).expect("a page of it");
        }
    }
    buffers
}

fn builder() -> ProgramBuilder {
    let mut builder = Program::builder("add");
    for (id, name) in [(0, "cb_first"), (1, "cb_second"), (16, "cb_out")] {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(id, name, FORMAT, 2));
    }
    builder
}

fn reader_args([first, second, _]: &[Buffer; 3]) -> CompileTimeArgs {
    let mut words = vec![0, 1];
    TensorAccessorArgs::new(first).append_to(&mut words);
    TensorAccessorArgs::new(second).append_to(&mut words);
    CompileTimeArgs::positional(&words)
}

fn writer_args([_, _, out]: &[Buffer; 3]) -> CompileTimeArgs {
    CompileTimeArgs::positional(&TensorAccessorArgs::new(out).words())
}

fn run(program: &Program, device: &mut Device, options: RunOptions) -> (Outcome, Log) {
    let mut log = Log::default();
    let outcome = program.run(device, options, &mut [&mut log]).expect("it can run");
    completed(&outcome);
    (outcome, log)
}

fn output(device: &mut Device, out: &Buffer) -> Vec<u8> {
    (0..TILES).flat_map(|page| out.read_page(device, page).expect("a page of it")).collect()
}

fn read(ctx: &DataMovement<'_>) {
    let (first, offset) = ctx.tensor_accessor(2, ctx.arg(0));
    let (second, _) = ctx.tensor_accessor(offset, ctx.arg(1));
    for tile in 0..ctx.arg(2) {
        ctx.cb_reserve_back(0, 1);
        ctx.noc_async_read_page(tile, &first, ctx.get_write_ptr(0));
        ctx.cb_reserve_back(1, 1);
        ctx.noc_async_read_page(tile, &second, ctx.get_write_ptr(1));
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(0, 1);
        ctx.cb_push_back(1, 1);
    }
}

fn add(ctx: &Compute<'_>) {
    ctx.compute_kernel_hw_startup(0, 1, 16);
    ctx.add_init(0, 1);
    for _ in 0..ctx.arg(0) {
        ctx.cb_wait_front(0, 1);
        ctx.cb_wait_front(1, 1);
        ctx.tile_regs_acquire();
        ctx.add_tiles(0, 1, 0, 0, 0);
        ctx.tile_regs_commit();
        ctx.cb_pop_front(0, 1);
        ctx.cb_pop_front(1, 1);
        ctx.cb_reserve_back(16, 1);
        ctx.tile_regs_wait();
        ctx.pack_tile(0, 16);
        ctx.tile_regs_release();
        ctx.cb_push_back(16, 1);
    }
}

fn write(ctx: &DataMovement<'_>) {
    let (out, _) = ctx.tensor_accessor(0, ctx.arg(0));
    for tile in 0..ctx.arg(1) {
        ctx.cb_wait_front(16, 1);
        ctx.noc_async_write_page(tile, &out, ctx.get_read_ptr(16));
        ctx.noc_async_write_barrier();
        ctx.cb_pop_front(16, 1);
    }
}

/// The program with any of its three kernels in C++.
fn program(device: &Device, buffers: &[Buffer; 3], in_cpp: [bool; 3]) -> Program {
    let mut builder = builder();
    let (at_reader, at_writer) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
    let reader = if in_cpp[0] {
        let cpp = kernel("reader.cpp", CppRole::DataMovement(at_reader));
        builder.cpp_kernel("reader", ORIGIN, cpp, reader_args(buffers))
    } else {
        builder.data_movement("reader", ORIGIN, at_reader, reader_args(buffers), read)
    };
    let config = ComputeConfig::default();
    let compute = if in_cpp[1] {
        let cpp = kernel("compute.cpp", CppRole::Compute(config));
        let args = CompileTimeArgs::default().define("OP_INIT", "add_init");
        builder.cpp_kernel("compute", ORIGIN, cpp, args.define("OP", "add_tiles"))
    } else {
        builder.compute("compute", ORIGIN, config, CompileTimeArgs::default(), add)
    };
    let writer = if in_cpp[2] {
        let cpp = kernel("writer.cpp", CppRole::DataMovement(at_writer));
        builder.cpp_kernel("writer", ORIGIN, cpp, writer_args(buffers))
    } else {
        builder.data_movement("writer", ORIGIN, at_writer, writer_args(buffers), write)
    };
    let [first, second, out] = buffers.map(|buffer| buffer.address_word());
    builder.runtime_args(reader, ORIGIN, &[first, second, TILES]);
    builder.runtime_args(compute, ORIGIN, &[TILES]);
    builder.runtime_args(writer, ORIGIN, &[out, TILES]);
    builder.build(device.architecture(), device.l1_lowest()).expect("it is right")
}

/// What each processor's calls did, in their order. When they did it differs: blocks of plain C++
/// take time, those of Rust do not. Transfers are numbered in the order of time.
fn deeds(log: &Log) -> [Vec<EventKind>; 5] {
    Processor::ALL.map(|processor| {
        let own = log.0.iter().filter(|event| event.processor.processor == processor);
        let id = TransferId(0);
        let deed = |event: &Event| match event.kind {
            EventKind::Blocked(_)
            | EventKind::ReadLanded { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. } => None,
            EventKind::ReadIssued { channel, from, to, bytes, .. } => {
                Some(EventKind::ReadIssued { id, channel, from, to, bytes })
            }
            EventKind::WriteIssued { channel, from, to, bytes, posted, .. } => {
                Some(EventKind::WriteIssued { id, channel, from, to, bytes, posted })
            }
            kind => Some(kind),
        };
        own.filter_map(deed).collect()
    })
}

#[test]
fn rust_and_cpp_kernels_give_equal_bits_and_equal_deeds() {
    let Some(workshop) = workshop() else { return };
    for seed in [0, 7] {
        let options = RunOptions { seed, ..RunOptions::default() };
        let mut device = Device::n150();
        let buffers = tensors(&mut device);
        let rust = program(&device, &buffers, [false; 3]);
        let (expected, events) = run(&rust, &mut device, options);
        let bits = output(&mut device, &buffers[2]);
        assert!(bits.iter().any(|byte| *byte != 0));
        for in_cpp in [[true; 3], [true, false, false], [false, true, false], [false, false, true]]
        {
            let mut device = Device::n150();
            let buffers = tensors(&mut device);
            let mut mixed = program(&device, &buffers, in_cpp);
            mixed.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
            let (outcome, log) = run(&mixed, &mut device, options);
            assert_eq!(output(&mut device, &buffers[2]), bits, "{in_cpp:?}");
            assert_eq!(deeds(&log), deeds(&events), "{in_cpp:?}");
            let is_slower = outcome.cycles > expected.cycles;
            assert!(seed != 0 || in_cpp != [true; 3] || is_slower, "plain code takes time");
        }
    }
}

/// A compute kernel alone on a core: its events.
fn events_of(name: &str, body: &str) -> Option<Log> {
    events_with(builder(), ComputeConfig::default(), name, body)
}

/// The same with other buffers and another Dst.
fn events_with(
    mut builder: ProgramBuilder,
    config: ComputeConfig,
    name: &str,
    body: &str,
) -> Option<Log> {
    let workshop = workshop()?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-compute");
    fs::create_dir_all(&folder).expect("a folder for kernels");
    let file = folder.join(format!("{name}.cpp"));
    fs::write(&file, body).expect("a file for a kernel");
    let cpp = CppKernel { source: CppSource::file(file), role: CppRole::Compute(config) };
    builder.cpp_kernel("compute", ORIGIN, cpp, CompileTimeArgs::default());
    let mut device = Device::n150();
    let built = builder.build(device.architecture(), device.l1_lowest());
    let mut program = built.expect("it is right");
    program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    Some(run(&program, &mut device, RunOptions::default()).1)
}

/// What kernels printed, in order.
fn printed(log: &Log) -> Vec<(Processor, &'static str)> {
    let words = |kind| match kind {
        EventKind::Printed { text } => text,
        _ => None,
    };
    let events = log.0.iter();
    events.filter_map(|event| Some((event.processor.processor, words(event.kind)?))).collect()
}

/// As tt-train's `frobenius_normalize` does: first the columns, then the row of their sums.
#[test]
fn the_vector_unit_adds_up_a_tile() {
    let mut builder = Program::builder("sum");
    builder.circular_buffer(ORIGIN, CbSpec::tiles(16, "cb_out", DataFormat::Float32, 1));
    let mut config = ComputeConfig::default();
    config.settings.width = DstWidth::Bits32;
    let body = r#"
#include <cstdio>
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/fill.h"
void kernel_main() {
    init_sfpu(16, 16);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(0, 1.5f);
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(16, 1);
    pack_tile(0, 16);
#ifdef TRISC_PACK
    const auto at = TW_HERE;
    auto* tile = reinterpret_cast<volatile uint32_t*>(uint64_t{tw_calls->write_pointer(at, 16)});
    tw_calls->print(at, tile[0] == 0x44c00000u ? "1536\n" : "none\n", 5);
#endif
    tile_regs_release();
}
"#;
    let Some(log) = events_with(builder, config, "sum", body) else { return };
    assert_eq!(printed(&log), [(Processor::Pack, "1536")]);
}

#[test]
fn compute_processors_send_each_other_words() {
    let body = r#"
#include <cstdio>
#include "api/compute/common.h"
void kernel_main() {
    const auto at = TW_HERE;
    uint32_t sum = 0;
    for (uint32_t i = 1; i <= 9; ++i) {
        UNPACK((tw_calls->mailbox_write(at, 1, i)));
        UNPACK((tw_calls->mailbox_write(at, 2, 10 * i)));
        MATH((sum = 3 * sum + tw_calls->mailbox_read(at, 0)));
        PACK((sum = 3 * sum + tw_calls->mailbox_read(at, 0)));
    }
    char text[32];
    const int bytes = snprintf(text, sizeof text, "sum %u\n", sum);
    tw_calls->print(at, text, bytes);
}
"#;
    let Some(log) = events_of("mailbox", body) else { return };
    let mut printed = printed(&log);
    printed.sort();
    let sum = (1..=9).fold(0, |sum: u32, i| 3 * sum + i);
    let (math, pack) = (format!("sum {sum}"), format!("sum {}", 10 * sum));
    let expected =
        [(Processor::Unpack, "sum 0"), (Processor::Math, &*math), (Processor::Pack, &*pack)];
    assert_eq!(printed, expected);
}

/// tt-metal's `mm_init` gave the unpackers the product's order and the ALU the caller's, in every
/// version that had it (tt_metal/hw/inc/api/compute/matmul.h until July 2026).
#[test]
fn the_older_start_of_a_product_leaves_the_alu_in_the_order_of_the_call() {
    let mut builder = Program::builder("product");
    for (id, name, format) in
        [(0, "cb_first", DataFormat::Bfp8), (1, "cb_second", FORMAT), (16, "cb_out", FORMAT)]
    {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(id, name, format, 2));
    }
    let body = r#"
#include "api/compute/matmul.h"
void kernel_main() { mm_init(0, 1, 16); }
"#;
    let Some(log) = events_with(builder, ComputeConfig::default(), "mm_init", body) else { return };
    let mut unpackers = [None; 2];
    let mut alu = [None; 2];
    let place = |source| usize::from(source == SourceId::B);
    for event in &log.0 {
        match event.kind {
            EventKind::Configured(Setting::UnpackFormats(source, formats)) => {
                unpackers[place(source)] = Some(formats.l1);
            }
            EventKind::Configured(Setting::AluFormat(source, format)) => {
                alu[place(source)] = Some(format);
            }
            _ => {}
        }
    }
    assert_eq!(unpackers, [Some(FORMAT), Some(DataFormat::Bfp8)]);
    assert_eq!(alu, [Some(DataFormat::Bfp8), Some(FORMAT)]);
}

/// What a kernel on the reader prints, compiled in a workshop of its own.
fn said(workshop: &Workshop, source: CppSource) -> String {
    let mut builder = builder();
    let place = DataMovementPlace::Reader;
    let cpp = CppKernel { source, role: CppRole::DataMovement(place) };
    builder.cpp_kernel("reader", ORIGIN, cpp, CompileTimeArgs::default());
    let mut device = Device::n150();
    let built = builder.build(device.architecture(), device.l1_lowest());
    let mut program = built.expect("it is right");
    program.compile(device.architecture(), workshop, &|_, _| {}).expect("it compiles");
    let log = run(&program, &mut device, RunOptions::default()).1;
    printed(&log).iter().map(|(_, text)| *text).collect()
}

/// Names that files may have, each of which somebody takes for something else.
const PATHS: [&str; 4] = ["a b  c#d$e$$f", "quo\"te's \\back\\ slash", "größe 漢:=%", "new\nline"];

#[test]
fn edits_take_effect_whatever_the_path_is() {
    const KERNEL: &str = "#include \"api/dataflow/dataflow_api.h\"\n\
        #include \"api/debug/dprint.h\"\n\
        #include \"value.h\"\nvoid kernel_main() { DPRINT << VALUE << ENDL(); }\n";
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let place = place.join(format!("cpp-paths-{}", std::process::id()));
    for path in PATHS {
        let cache = place.join("cache");
        let options = options(cache.clone());
        let Ok(workshop) = Workshop::open(&options) else { return };
        let (own, shared) = (place.join(path).join("own"), place.join(path).join("sha red"));
        fs::create_dir_all(&own).expect("room");
        fs::create_dir_all(&shared).expect("room");
        let mut source = CppSource::file(own.join("k.cpp"));
        source.include_paths.push(shared.clone());
        // An entry that is written again is another file; one that is used only looks younger.
        let kept = || -> BTreeSet<u64> {
            let files = fs::read_dir(&cache).expect("ours").flatten().map(|it| it.path());
            let objects = files.filter(|file| file.extension().is_some_and(|it| it == "code"));
            objects.map(|file| fs::metadata(file).expect("ours").ino()).collect()
        };
        let empty = if cache.is_dir() { kept() } else { BTreeSet::new() };
        fs::write(&source.file, KERNEL).expect("room");
        fs::write(shared.join("value.h"), "#define VALUE 1\n").expect("room");
        assert_eq!(said(&workshop, source.clone()), "1", "{path}");
        let before = kept();
        assert_eq!(said(&workshop, source.clone()), "1", "{path}");
        // A rule of make cannot spell a line break, and clang++ turns backslashes around: what was
        // made of files that are not found again is not kept.
        let is_clang = workshop.compiler().version().contains("clang");
        let is_lost = path.contains('\n') || (is_clang && path.contains('\\'));
        let is_kept = before.difference(&empty).next().is_some() && kept() == before;
        assert_eq!(is_kept, !is_lost, "{path}: nothing has changed");
        fs::write(shared.join("value.h"), "#define VALUE 2\n").expect("room");
        assert_eq!(said(&workshop, source.clone()), "2", "{path}: the header was edited");
        fs::write(own.join("value.h"), "#define VALUE 3\n").expect("room");
        assert_eq!(said(&workshop, source.clone()), "3", "{path}: another one comes first");
        fs::write(&source.file, KERNEL.replace("VALUE <<", "VALUE + 1 <<")).expect("room");
        assert_eq!(said(&workshop, source), "4", "{path}: the kernel was edited");
    }
    fs::remove_dir_all(&place).expect("ours");
}

/// A variant that a kernel does not choose is tt-metal's default in either language.
#[test]
fn functions_of_a_tile_have_the_defaults_of_the_headers() {
    let call =
        |(name, _, _): &(&str, Init, OnTile)| format!("    {name}_init();\n    {name}(0);\n");
    let calls: String = UNARY_TILES.iter().map(call).collect();
    let headers = ["exp", "gelu", "negative", "recip", "rsqrt", "sqrt"];
    let include = |name| format!("#include \"api/compute/eltwise_unary/{name}.h\"\n");
    let headers: String = headers.into_iter().map(include).collect();
    let body = format!(
        "#include \"api/compute/compute_kernel_api.h\"\n\
         #include \"api/compute/compute_kernel_hw_startup.h\"\n{headers}\
         void kernel_main() {{\n    compute_kernel_hw_startup(0, 0, 16);\n    \
         tile_regs_acquire();\n{calls}}}\n"
    );
    let Some(in_cpp) = events_of("defaults", &body) else { return };
    let mut builder = builder();
    let (config, none) = (ComputeConfig::default(), CompileTimeArgs::default());
    builder.compute("compute", ORIGIN, config, none, |k: &Compute<'_>| {
        k.compute_kernel_hw_startup(0, 0, 16);
        k.tile_regs_acquire();
        for (_, init, on_tile) in UNARY_TILES {
            init(k);
            on_tile(k, 0);
        }
    });
    let mut device = Device::n150();
    let built = builder.build(device.architecture(), device.l1_lowest());
    let in_rust = run(&built.expect("it is right"), &mut device, RunOptions::default()).1;
    let operations = |log: &Log| -> Vec<String> {
        let operation = |kind| match kind {
            EventKind::Configured(Setting::Vector(operation)) => Some(operation),
            EventKind::Vectored { operation, .. } => Some(operation),
            _ => None,
        };
        let all = log.0.iter().filter_map(|event| operation(event.kind));
        all.map(|operation| format!("{operation:?}")).collect()
    };
    assert_eq!(operations(&in_rust).len(), 2 * UNARY_TILES.len());
    assert_eq!(operations(&in_rust), operations(&in_cpp));
}
