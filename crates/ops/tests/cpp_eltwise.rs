//! The elementwise operation with its three kernels in C++: the bits and the event counts of the
//! Rust one.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

use std::collections::BTreeMap;
use std::path::Path;

use tilewright_metal::cpp::{CompileOptions, CppKernel, CppRole, CppSource, Workshop};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreSet, DataMovementPlace, Device, Ending, Event,
    Observer, Program, RunOptions, TensorAccessorArgs, WorkSplit,
};
use tilewright_ops::{Request, find};
use tilewright_tile::DataFormat;

const CORES: u32 = 4;
const FORMAT: DataFormat = DataFormat::Bfloat16;
/// 3 by 7 tiles, which do not divide into equal blocks.
const SHAPE: &str = "96x224";
const TILES: u32 = 21;
/// What the Rust operation takes for a block: the tiles that a core gets.
const BLOCK: u32 = TILES.div_ceil(CORES);

/// Counts events by processor and kind.
#[derive(Default, Debug, PartialEq)]
struct Counts(BTreeMap<String, usize>);

impl Observer for Counts {
    fn event(&mut self, event: &Event) {
        let kind = format!("{:?}", event.kind);
        let kind = kind.split([' ', '(']).next().unwrap_or("");
        *self.0.entry(format!("{} {kind}", event.processor.processor)).or_default() += 1;
    }
}

fn kernel(file: &str, role: CppRole) -> CppKernel {
    CppKernel { source: CppSource::file(Path::new("tests/kernels/eltwise").join(file)), role }
}

/// The program, with tensors where the Rust operation has put them.
fn program(device: &Device, request: &Request, [first, second, out]: [u32; 3]) -> Program {
    let split = WorkSplit::new(device.architecture(), CORES, TILES.div_ceil(BLOCK)).expect("work");
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();
    let mut builder = Program::builder("eltwise");
    for (id, name) in [(0, "cb_first"), (1, "cb_second"), (16, "cb_out")] {
        builder.circular_buffer(&cores, CbSpec::tiles(id, name, FORMAT, 2 * BLOCK));
    }
    let dram = TensorAccessorArgs::at(&[2, 2048], 0).expect("in DRAM").words();
    let args = |tensors: usize| {
        let mut words = vec![TILES, BLOCK];
        (0..tensors).for_each(|_| words.extend(dram));
        CompileTimeArgs::positional(&words)
    };
    let reads = kernel("reader.cpp", CppRole::DataMovement(DataMovementPlace::Reader));
    let read = builder.cpp_kernel("reader", &cores, reads, args(2));
    let config = ComputeConfig { settings: request.settings, ..ComputeConfig::default() };
    let adds = kernel("compute.cpp", CppRole::Compute(config));
    let add = builder.cpp_kernel("compute", &cores, adds, args(0));
    let writes = kernel("writer.cpp", CppRole::DataMovement(DataMovementPlace::Writer));
    let write = builder.cpp_kernel("writer", &cores, writes, args(1));
    for share in split.shares() {
        let (start, units) = (share.first_unit, share.units);
        builder.runtime_args(read, share.core, &[start, units, first, second]);
        builder.runtime_args(add, share.core, &[start, units]);
        builder.runtime_args(write, share.core, &[start, units, out]);
    }
    builder.build(device.architecture(), device.l1_lowest()).expect("it is right")
}

#[test]
fn cpp_kernels_give_the_bits_and_the_events_of_the_rust_operation() {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-cache"));
    let workshop = match Workshop::open(&CompileOptions { cache, ..CompileOptions::default() }) {
        Ok(workshop) => workshop,
        Err(error) => return eprintln!("nothing is tested here: {error}"),
    };
    let mut request = Request::new(SHAPE.parse().expect("a shape"), FORMAT);
    request.cores = CORES;
    let operation = find("eltwise").expect("an operation");
    let mut device = Device::n150();
    let prepared = operation.prepare(&mut device, &request).expect("a right request");
    let output = &prepared.outputs[0].tensor;
    let mut expected = Counts::default();
    prepared.run(&mut device, RunOptions::default(), &mut [&mut expected]).expect("stacks");
    let bits = output.buffer.read(&mut device).expect("an output");
    output.buffer.fill(&mut device, 0xff).expect("an output");

    // The inputs lie before the output, one behind the other from the first address of DRAM.
    let (end, start) = (output.buffer.address_word(), 1024);
    let at = [start, start + (end - start) / 2, end];
    let mut program = program(&device, &request, at);
    program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    let mut counts = Counts::default();
    let outcome =
        program.run(&mut device, RunOptions::default(), &mut [&mut counts]).expect("it runs");
    assert_eq!(outcome.ending, Ending::Completed);
    assert_eq!(counts, expected);
    assert!(output.buffer.read(&mut device).expect("an output") == bits, "bits differ");
}
