//! Stage 5: the program factory makes its buffers and kernels.

mod cases;
mod host;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use operation_name::queue::Queue;
use operation_name::{operation, program};
use tilewright_run::prelude::*;

/// The program, and the device that it is for.
fn made() -> (ProgramDescription, Device) {
    let mut queue = host::simulator();
    let mut tensors = cases::arguments(&mut queue);
    let attributes = cases::attributes(&tensors);
    let output = host::must(operation::allocate_output(
        queue.device(),
        &tensors,
        &attributes,
    ));
    tensors.push(output);
    let device = queue.device().copy_of_buffers();
    let kernels = Path::new(operation::KERNELS);
    let made = program::create(device.architecture(), &tensors, &attributes, kernels);
    (host::must(made), device)
}

#[test]
fn there_are_a_reader_a_compute_kernel_and_a_writer() {
    let file = |kernel: &KernelDescription| match &kernel.source {
        KernelSource::File(file) => file.clone(),
        KernelSource::Text(_) | KernelSource::Rust(_) => PathBuf::from("not a file"),
    };
    let files: Vec<PathBuf> = made().0.kernels.iter().map(file).collect();
    let names: Vec<_> = files.iter().filter_map(|file| file.file_name()).collect();
    assert_eq!(names, ["reader.cpp", "compute.cpp", "writer.cpp"]);
    assert!(files.iter().all(|file| file.is_file()), "{files:?}");
}

#[test]
fn the_circular_buffers_are_as_specified() {
    let (description, device) = made();
    let specs = description
        .circular_buffers
        .iter()
        .flat_map(|ring| &ring.specs);
    let pages: BTreeMap<u8, u32> = specs.map(|spec| (spec.id, spec.pages)).collect();
    assert_eq!(pages, BTreeMap::from(cases::BUFFER_PAGES));
    let placed = Program::new(description, &device).map(drop);
    host::must(placed.map_err(|error| error.to_string().into()));
}

#[test]
fn every_unit_of_work_is_done_once() {
    let writer = made().0.kernels.swap_remove(2);
    let mut shares: Vec<(u32, u32)> = writer
        .runtime_args
        .values()
        .map(|args| (args[1], args[2]))
        .collect();
    shares.sort_unstable();
    let mut next = 0;
    for (first, units) in shares {
        assert_eq!(first, next, "units are done twice or not at all");
        next = first + units;
    }
    assert_eq!(next, cases::UNITS);
}
