//! The program factory of operation_name: a unit of work is a tile-row of 32 sticks.

use std::path::Path;

use tilewright_run::prelude::*;

use crate::descriptors::{Kernel, Ring, accessors, program, word};
use crate::operation::Attributes;
use crate::queue::Error;

/// The circular buffers. Sticks have pages of a tile, too: 32 of them fill a row of tiles.
pub fn rings(row_tiles: u32) -> Vec<Ring> {
    let (narrow, wide) = (DataFormat::Bfloat16, DataFormat::Float32);
    vec![
        (0, "cb_sticks", 2 * row_tiles, narrow),
        (1, "cb_x", row_tiles, narrow),
        (2, "cb_scaler", 1, narrow),
        (4, "cb_gamma_sticks", row_tiles, narrow),
        (5, "cb_beta_sticks", row_tiles, narrow),
        (6, "cb_gamma", row_tiles, narrow),
        (7, "cb_beta", row_tiles, narrow),
        (16, "cb_out", 2 * row_tiles, narrow),
        (24, "cb_centred", row_tiles, wide),
        (25, "cb_mean", 1, wide),
        (26, "cb_squares", row_tiles, wide),
        (27, "cb_rstd", 1, wide),
        (28, "cb_scaled", row_tiles, wide),
        (29, "cb_weighted", row_tiles, wide),
    ]
}

/// The program for these tensors, of which the last is the output.
pub fn create(
    arch: &Architecture,
    tensors: &[DeviceTensor],
    attributes: &Attributes,
    kernels: &Path,
) -> Result<ProgramDescription, Error> {
    let [x, gamma, beta, output] = tensors else {
        return Err("three inputs and an output".into());
    };
    let width = x.shape.width();
    let row_tiles = word(x.shape.tile_columns())?;
    let addresses = [x, gamma, beta].map(|tensor| tensor.buffer.address_word());
    let reader = Kernel {
        file: kernels.join("reader.cpp"),
        config: KernelConfig::Reader,
        compile_time_args: accessors(&[row_tiles], &[*x, *gamma, *beta]),
        arguments: Box::new(move |share| {
            addresses
                .into_iter()
                .chain([share.first_unit, share.units])
                .collect()
        }),
    };
    let settings = ComputeSettings {
        width: DstWidth::Bits32,
        ..ComputeSettings::default()
    };
    let reciprocal = 1.0 / width as f32;
    let compute = Kernel {
        file: kernels.join("compute.cpp"),
        config: ComputeConfig {
            settings,
            ..ComputeConfig::default()
        }
        .into(),
        compile_time_args: vec![
            row_tiles,
            reciprocal.to_bits(),
            attributes.epsilon.to_bits(),
        ],
        arguments: Box::new(|share| vec![share.units]),
    };
    let writer = Kernel {
        file: kernels.join("writer.cpp"),
        config: KernelConfig::Writer,
        compile_time_args: accessors(&[output.buffer.page_bytes, 32], &[*output]),
        arguments: Box::new(|share| {
            vec![output.buffer.address_word(), share.first_unit, share.units]
        }),
    };
    let (rows, rings) = (output.buffer.pages / 32, rings(row_tiles));
    let names = ["input", "gamma", "beta"];
    program(
        arch,
        rows,
        (&[reader, compute, writer], &rings),
        (&names, tensors),
    )
}
