//! The program factory of operation_name: a unit of work is a row of tiles.

use std::path::Path;

use tilewright_run::prelude::*;

use crate::descriptors::{Kernel, Ring, accessors, program, word};
use crate::operation::Attributes;
use crate::queue::Error;

/// The circular buffers: tiles of x, the scaler of the sums, and the output.
pub const RINGS: [Ring; 3] = [
    (0, "cb_x", 2, DataFormat::Bfloat16),
    (1, "cb_scaler", 1, DataFormat::Bfloat16),
    (16, "cb_out", 2, DataFormat::Bfloat16),
];

/// The program for these tensors, of which the last is the output.
pub fn create(
    arch: &Architecture,
    tensors: &[DeviceTensor],
    _: &Attributes,
    kernels: &Path,
) -> Result<ProgramDescription, Error> {
    let [x, output] = tensors else {
        return Err("an input and an output".into());
    };
    let row_tiles = word(x.shape.tile_columns())?;
    let reader = Kernel {
        file: kernels.join("reader.cpp"),
        config: KernelConfig::Reader,
        compile_time_args: accessors(&[row_tiles], &[*x]),
        arguments: Box::new(|share| vec![x.buffer.address_word(), share.first_unit, share.units]),
    };
    // Sums of many values need more bits than bf16 has.
    let settings = ComputeSettings {
        width: DstWidth::Bits32,
        ..ComputeSettings::default()
    };
    let compute = Kernel {
        file: kernels.join("compute.cpp"),
        config: ComputeConfig {
            settings,
            ..ComputeConfig::default()
        }
        .into(),
        compile_time_args: vec![row_tiles],
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
    let rows = output.buffer.pages;
    program(
        arch,
        rows,
        (&[reader, compute, writer], &RINGS),
        (&["x"], tensors),
    )
}
