//! The program factory of operation_name: a unit of work is a tile.

use std::path::Path;

use tilewright_run::prelude::*;

use crate::descriptors::{Kernel, Ring, accessors, program};
use crate::operation::Attributes;
use crate::queue::Error;

/// The circular buffers: a, b and the output, double-buffered.
pub const RINGS: [Ring; 3] = [
    (0, "cb_a", 2, DataFormat::Bfloat16),
    (1, "cb_b", 2, DataFormat::Bfloat16),
    (16, "cb_out", 2, DataFormat::Bfloat16),
];

/// The program for these tensors, of which the last is the output.
pub fn create(
    arch: &Architecture,
    tensors: &[DeviceTensor],
    _: &Attributes,
    kernels: &Path,
) -> Result<ProgramDescription, Error> {
    let [a, b, output] = tensors else {
        return Err("two inputs and an output".into());
    };
    let addresses = [a, b].map(|tensor| tensor.buffer.address_word());
    let reader = Kernel {
        file: kernels.join("reader.cpp"),
        config: KernelConfig::Reader,
        compile_time_args: accessors(&[], &[*a, *b]),
        arguments: Box::new(move |share| {
            vec![addresses[0], addresses[1], share.first_unit, share.units]
        }),
    };
    let compute = Kernel {
        file: kernels.join("compute.cpp"),
        config: ComputeConfig::default().into(),
        compile_time_args: Vec::new(),
        arguments: Box::new(|share| vec![share.units]),
    };
    let writer = Kernel {
        file: kernels.join("writer.cpp"),
        config: KernelConfig::Writer,
        compile_time_args: accessors(&[output.buffer.page_bytes, 1], &[*output]),
        arguments: Box::new(|share| {
            vec![output.buffer.address_word(), share.first_unit, share.units]
        }),
    };
    let tiles = output.buffer.pages;
    program(
        arch,
        tiles,
        (&[reader, compute, writer], &RINGS),
        (&["a", "b"], tensors),
    )
}
