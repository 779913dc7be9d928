//! Programs as data: written, read back, checked and run.

#![cfg(target_os = "linux")]

use crate::cpp_common::workshop;
use serde_json::Value;
use tilewright_machine::{Ending, Event, EventKind, Observer, Processor};
use tilewright_metal::{
    CbPlacement, CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, CoreRange, DataMovementConfig,
    DataMovementPlace, DataMovementProcessor, DescriptionError, Device, DeviceTensor, Extent,
    KernelDescription, KernelSource, Layout, NocId, NocSharing, Program, ProgramDescription,
    ProgramError, RunOptions, SemaphoreDescription, Shape, SourceText, Storage, Tensor,
};
use tilewright_tile::DataFormat::Bfloat16;

const CORE: CoreCoord = CoreCoord::new(0, 0);

const READER: &str = r#"#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(0, x, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
"#;
const WRITER: &str = r#"#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_wait_front(0, 1);
    noc_async_write_page(0, y, get_read_ptr(0));
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}
"#;

/// One tile from DRAM to DRAM, its kernels as text.
fn copy(device: &mut Device) -> (ProgramDescription, [DeviceTensor; 2], Vec<f32>) {
    let shape: Shape = "32x32".parse().expect("a shape");
    let values: Vec<f32> = (0..1024).map(|value| (value % 256) as f32).collect();
    let host = Tensor::from_f32(shape, &values).expect("values");
    let host = host.convert(Layout::Tile, Bfloat16).expect("a tile");
    let x = host.to_device(device, Storage::Dram).expect("room");
    let y = DeviceTensor::empty(device, shape, Layout::Tile, Bfloat16, Storage::Dram);
    let y = y.expect("room");
    let mut builder = Program::builder("copy");
    builder.circular_buffer(CORE, CbSpec::tiles(0, "cb_x", Bfloat16, 2));
    builder.input("x", &x).output("y", &y).contributes("y", "x", Extent::Same, Extent::Same);
    for (name, text, tensor, place) in [
        ("reader", READER, &x, DataMovementPlace::Reader),
        ("writer", WRITER, &y, DataMovementPlace::Writer),
    ] {
        let text = SourceText { name: format!("{name}.cpp"), text: text.to_owned() };
        let kernel = KernelDescription::new(name, KernelSource::Text(text), CORE, place);
        let compile_time_args = tensor.accessor_args().words().to_vec();
        let kernel = builder.kernel(KernelDescription { compile_time_args, ..kernel });
        builder.runtime_args(kernel, CORE, &[tensor.buffer.address_word()]);
    }
    (builder.into_description(), [x, y], values)
}

#[test]
fn a_program_that_was_written_and_read_back_runs() {
    let Some(workshop) = workshop() else { return };
    let mut device = Device::n150();
    let (description, [_, y], values) = copy(&mut device);
    let text = description.to_json().expect("it is data");
    let again = ProgramDescription::from_json(&text).expect("it is a description");
    assert_eq!(again.to_json().expect("it is data"), text);
    let mut digests = Vec::new();
    for description in [description, again] {
        let mut program = Program::new(description, &device).expect("it is right");
        assert_eq!(program.declarations().inputs[0].name, "x");
        program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
        y.buffer.fill(&mut device, 0xff).expect("pages");
        let outcome = program.run(&mut device, RunOptions::default(), &mut []).expect("it runs");
        assert_eq!(outcome.ending, Ending::Completed);
        assert_eq!(y.to_host(&mut device).expect("a tensor").to_f32(), values);
        digests.push(outcome.digest);
    }
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn a_description_has_tt_metals_fields() {
    let mut device = Device::n150();
    let (description, ..) = copy(&mut device);
    let json: Value = serde_json::from_str(&description.to_json().expect("data")).expect("JSON");
    let reader = &json["kernels"][0];
    assert_eq!(reader["compile_time_args"], serde_json::json!([2, 2048]));
    assert_eq!(reader["core_ranges"], serde_json::json!([{"start": [0, 0], "end": [0, 0]}]));
    assert_eq!(reader["runtime_args"], serde_json::json!([{"core": [0, 0], "args": [1024]}]));
    assert_eq!(reader["config"], serde_json::json!({"kind": "reader"}));
    let buffer = &json["cbs"][0];
    assert_eq!(buffer["total_size"], 4096);
    let format = serde_json::json!(
        [{"buffer_index": 0, "name": "cb_x", "data_format": "Float16_b", "page_size": 2048}]);
    assert_eq!(buffer["format_descriptors"], format);
    assert_eq!(json["tensors"][0]["memory"], serde_json::json!({"buffer_type": "dram"}));
    let schema = ProgramDescription::schema();
    let known = schema["properties"].as_object().expect("properties");
    let used = json.as_object().expect("an object");
    assert!(used.keys().all(|name| known.contains_key(name)), "{:?}", used.keys());
}

/// Where each event's call is: kernels given as text have lines of their own.
#[derive(Default)]
struct Sites(Vec<(Processor, String, u32)>);

impl Observer for Sites {
    fn event(&mut self, event: &Event) {
        if let EventKind::ReadIssued { .. } = event.kind {
            let at = (event.processor.processor, event.site.file.to_owned(), event.site.line);
            self.0.push(at);
        }
    }
}

#[test]
fn processor_and_network_are_independent_and_text_has_lines() {
    let Some(workshop) = workshop() else { return };
    let mut device = Device::n150();
    let (mut description, ..) = copy(&mut device);
    let on = |processor, noc| {
        let noc_mode = NocSharing::Dedicated;
        DataMovementPlace::On(DataMovementConfig { processor, noc, noc_mode }).into()
    };
    description.kernels[0].config = on(DataMovementProcessor::Riscv0, NocId::Zero);
    description.kernels[1].config = on(DataMovementProcessor::Riscv1, NocId::One);
    let text = description.to_json().expect("data");
    let description = ProgramDescription::from_json(&text).expect("a description");
    let mut program = Program::new(description, &device).expect("it is right");
    program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    let mut sites = Sites::default();
    let outcome = program.run(&mut device, RunOptions::default(), &mut [&mut sites]);
    assert_eq!(outcome.expect("it runs").ending, Ending::Completed);
    assert_eq!(sites.0, [(Processor::Writer, "reader.cpp".to_owned(), 6)]);
}

#[test]
fn what_the_compiler_says_of_text_names_its_lines() {
    let Some(workshop) = workshop() else { return };
    let mut device = Device::n150();
    let (mut description, ..) = copy(&mut device);
    let text =
        SourceText { name: "mine.cpp".to_owned(), text: "void kernel_main() {\n  no(); }".into() };
    description.kernels[0].source = KernelSource::Text(text);
    let mut program = Program::new(description, &device).expect("it is right");
    let wrong = program.compile(device.architecture(), &workshop, &|_, _| {}).expect_err("no");
    assert!(wrong.to_string().contains("mine.cpp:2"), "{wrong}");
}

#[test]
fn kernels_in_rust_are_not_data() {
    let mut builder = Program::builder("rust");
    let (place, args) = (DataMovementPlace::Reader, CompileTimeArgs::default());
    builder.data_movement("in_rust", CORE, place, args, |_| {});
    let said = builder.into_description().to_json();
    let kernels = vec!["in_rust".to_owned()];
    assert_eq!(said, Err(DescriptionError::RustKernels { kernels }));
}

#[track_caller]
fn refused(change: impl FnOnce(&mut ProgramDescription), expected: &str) {
    let mut device = Device::n150();
    let (mut description, ..) = copy(&mut device);
    change(&mut description);
    let error = Program::new(description, &device).err().expect("something is wrong");
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn descriptions_that_no_chip_can_run_are_refused() {
    refused(
        |it| it.kernels[1].config = DataMovementPlace::Reader.into(),
        "both placed on the reader processor of core (0,0)",
    );
    let same_network = DataMovementConfig {
        processor: DataMovementProcessor::Riscv0,
        noc: NocId::Zero,
        noc_mode: NocSharing::Dedicated,
    };
    let config = DataMovementPlace::On(same_network);
    refused(|it| it.kernels[1].config = config.into(), "use the same network on core (0,0)");
    let semaphore = |id| SemaphoreDescription { id, cores: CORE.into(), initial: 0 };
    refused(|it| it.semaphores = vec![semaphore(16)], "semaphores 0 to 15");
    refused(|it| it.semaphores = vec![semaphore(3), semaphore(3)], "declared twice on core (0,0)");
    refused(|it| it.contributions[0].input = "z".to_owned(), "no tensor `z`");
    refused(|it| it.tensors[1].name = "x".to_owned(), "`x` is declared twice");
    refused(|it| it.circular_buffers[0].specs[0].tile = Some([16, 32]), "tiles of 16x32");
    refused(|it| it.circular_buffers[0].placement = CbPlacement::Address(8), "a multiple of 16");
    let placement = CbPlacement::Tensor { name: "x".to_owned(), offset: 0 };
    refused(|it| it.circular_buffers[0].placement = placement, "not sharded in L1");
    refused(
        |it| it.kernels[0].runtime_args = [(CoreCoord::new(1, 0), vec![])].into(),
        "where it does not run",
    );
}

#[test]
fn text_that_is_no_description_is_refused_with_its_place() {
    for (text, expected) in [
        ("", "EOF"),
        (r#"{"name": "x", "kernels": [], "cb": []}"#, "unknown field `cb`"),
        (r#"{"name": "x"}"#, "missing field `kernels`"),
        (
            r#"{"name": "x", "kernels": [], "cbs": [{"total_size": 100, "core_ranges": [],
                "format_descriptors": [{"buffer_index": 0, "data_format": "Bfp8_b",
                "page_size": 64}]}]}"#,
            "pages of 64 bytes do not divide",
        ),
        (
            r#"{"name": "x", "kernels": [], "semaphores": [{"id": 0, "initial_value": 0,
                "core_ranges": [{"start": [3, 0], "end": [1, 0]}]}]}"#,
            "its end lies before its start",
        ),
    ] {
        let error = ProgramDescription::from_json(text).expect_err("it is wrong").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// One id on disjoint cores with different values, and ids that are not contiguous.
#[test]
fn semaphores_have_any_id_on_disjoint_cores() {
    let mut device = Device::n150();
    let cores = CoreRange::new(CORE, CoreCoord::new(1, 0));
    let mut builder = Program::builder("semaphores");
    for (id, core, initial) in [(5, 0, 7), (5, 1, 9), (2, 0, 1)] {
        let cores = CoreCoord::new(core, 0).into();
        builder.description().semaphores.push(SemaphoreDescription { id, cores, initial });
    }
    let (place, args) = (DataMovementPlace::Reader, CompileTimeArgs::default());
    let kernel = builder.data_movement("reader", cores, place, args, |ctx| {
        ctx.noc_semaphore_wait(ctx.get_semaphore(5), ctx.arg(0));
    });
    builder.runtime_args(kernel, CORE, &[7]);
    builder.runtime_args(kernel, CoreCoord::new(1, 0), &[9]);
    let program = Program::new(builder.into_description(), &device).expect("it is right");
    assert_eq!((program.semaphores_on(CORE), program.semaphores_on(CoreCoord::new(1, 0))), (2, 1));
    let outcome = program.run(&mut device, RunOptions::default(), &mut []).expect("it runs");
    assert_eq!(outcome.ending, Ending::Completed);
}

#[test]
fn a_rust_kernel_fits_its_configuration() {
    let device = Device::n150();
    let mut builder = Program::builder("wrong");
    let (place, args) = (DataMovementPlace::Reader, CompileTimeArgs::default());
    builder.data_movement("mover", CORE, place, args, |_| {});
    builder.description().kernels[0].config = ComputeConfig::default().into();
    let built = Program::new(builder.into_description(), &device);
    let kernel = "mover".to_owned();
    assert_eq!(built.err(), Some(ProgramError::WrongConfig { kernel }));
}
