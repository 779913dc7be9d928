//! A capture runs elsewhere as the programs ran here.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::cpp_common::workshop;
use tilewright_metal::{
    Capture, CbSpec, CompileTimeArgs, CoreCoord, CoreRange, DataMovementPlace, Device,
    DeviceTensor, Ending, KernelDescription, KernelSource, Layout, MemoryConfig, Prepared, Program,
    RunOptions, Shape, ShardLayout, ShardOrientation, ShardSpec, Storage, Tensor,
};
use tilewright_tile::DataFormat::Bfloat16;

const CORE: CoreCoord = CoreCoord::new(0, 0);
const HEADER: &str = "#pragma once\nconstexpr uint32_t ring = 0;\n";
const READER: &str = r#"#include "api/dataflow/dataflow_api.h"
#include "../common/names.h"
void kernel_main() {
    const auto x = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_reserve_back(ring, 1);
        noc_async_read_page(page, x, get_write_ptr(ring));
        noc_async_read_barrier();
        cb_push_back(ring, 1);
    }
}
"#;
const WRITER: &str = r#"#include "api/dataflow/dataflow_api.h"
#include "common/names.h"
void kernel_main() {
    const auto y = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_wait_front(ring, 1);
        noc_async_write_page(page, y, get_read_ptr(ring));
        noc_async_write_barrier();
        cb_pop_front(ring, 1);
    }
}
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("capture-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("room");
    folder
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("room");
    fs::write(file, text).expect("room");
}

/// Copies a height-sharded tensor to DRAM; the writer finds its header by an include path.
fn copy(device: &mut Device, here: &Path) -> (Program, DeviceTensor, Vec<f32>) {
    write(&here.join("common/names.h"), HEADER);
    let shape: Shape = "64x32".parse().expect("a shape");
    let values: Vec<f32> = (0..2048).map(|value| (value % 256) as f32).collect();
    let host = Tensor::from_f32(shape, &values).expect("values");
    let host = host.convert(Layout::Tile, Bfloat16).expect("tiles");
    let spec = ShardSpec {
        layout: ShardLayout::Height,
        grid: vec![CoreRange::new(CORE, CoreCoord::new(1, 0))],
        shape: vec![32, 32],
        orientation: ShardOrientation::RowMajor,
    };
    let memory = MemoryConfig { storage: Storage::L1, shards: Some(spec) };
    let x = host.to_device(device, memory).expect("it fits");
    let y = DeviceTensor::zeros(device, shape, Layout::Tile, Bfloat16, Storage::Dram);
    let y = y.expect("room");
    let mut builder = Program::builder("copy");
    builder.circular_buffer(CORE, CbSpec::tiles(0, "cb", Bfloat16, 1));
    builder.input("x", &x).output("y", &y);
    for (name, text, tensor, place) in [
        ("reader", READER, &x, DataMovementPlace::Reader),
        ("writer", WRITER, &y, DataMovementPlace::Writer),
    ] {
        let file = here.join("kernels").join(format!("{name}.cpp"));
        write(&file, text);
        let kernel = KernelDescription::new(name, KernelSource::File(file), CORE, place);
        let kernel = builder.kernel(KernelDescription {
            compile_time_args: tensor.accessor_args().words(),
            include_paths: vec![here.to_owned()],
            ..kernel
        });
        builder.runtime_args(kernel, CORE, &[tensor.buffer.address_word(), tensor.buffer.pages]);
    }
    let program = Program::new(builder.into_description(), device).expect("it is right");
    (program, y, values)
}

#[test]
fn a_capture_runs_from_another_folder_with_the_same_digest() {
    let Some(workshop) = workshop() else { return };
    let (here, there) = (folder("here"), folder("there"));
    let mut device = Device::n150();
    let (mut program, y, values) = copy(&mut device, &here);
    program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    let prepared = Prepared::from(program.clone()).expecting("y", y, values.clone());
    let capture = Capture::new("copy", &prepared, &mut device, 7).expect("data");
    let bytes = capture.to_bytes().expect("a file");
    let options = RunOptions { seed: 7, ..RunOptions::default() };
    let first = program.run(&mut device, options, &mut []).expect("it runs");
    assert_eq!(first.ending, Ending::Completed);
    fs::remove_dir_all(&here).expect("ours");

    let capture = Capture::from_bytes(&bytes).expect("a capture");
    assert_eq!((capture.seed, capture.architecture.as_str()), (7, "n150"));
    assert_eq!(capture.files.len(), 3, "{:?}", capture.files.keys());
    let mut device = Device::n150();
    capture.extract(&there).expect("room");
    let restored = capture.restore(&mut device, &there).expect("it is whole");
    let expected = &restored.outputs[0];
    assert_eq!((expected.name, expected.bits.as_ref()), ("y", Some(&values)));
    let exact: Vec<f64> = (expected.reference)().iter().map(|it| it.value).collect();
    assert_eq!(exact, values.iter().map(|it| f64::from(*it)).collect::<Vec<f64>>());
    let mut programs = restored.programs;
    let arch = device.architecture().clone();
    programs[0].compile(&arch, &workshop, &|_, _| {}).expect("it compiles");
    let again = programs[0].run(&mut device, options, &mut []).expect("it runs");
    assert_eq!(again.digest, first.digest);
    let y = programs[0].declarations().outputs[0].tensor;
    assert_eq!(y.to_host(&mut device).expect("a tensor").to_f32(), values);
}

#[test]
fn what_is_no_capture_is_refused() {
    for bytes in [&b""[..], b"{}", &[8, 0, 0, 0, 0, 0, 0, 0, b'{', b'}', 32, 32, 32, 32, 32, 32]] {
        let error = Capture::from_bytes(bytes).expect_err("it is none").to_string();
        assert!(error.starts_with("not a capture: "), "{error}");
    }
    let mut builder = Program::builder("rust");
    let (place, args) = (DataMovementPlace::Reader, CompileTimeArgs::default());
    builder.data_movement("in_rust", CORE, place, args, |_| {});
    let mut device = Device::n150();
    let program = Program::new(builder.into_description(), &device).expect("it is right");
    let error = Capture::new("rust", &Prepared::from(program), &mut device, 0);
    let error = error.expect_err("it is no data").to_string();
    assert!(error.contains("`in_rust`"), "{error}");
}
