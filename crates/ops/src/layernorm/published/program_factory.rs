//! Buffers and kernels of the published operation: tile-rows dealt out to cores.

use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, ComputeSettings, CoreSet, DataMovementPlace, Device,
    DeviceTensor, Extent, Program, ProgramBuilder, Shape, WorkSplit,
};
use tilewright_tile::{DataFormat, DstWidth, TILE_SIDE};

use super::{BLOCK, Faults, Path, cb, compute, reader, writer};
use crate::layernorm::choose;
use crate::operation::OpError;

/// The operation's inputs, bf16 in tile layout.
pub struct Inputs {
    /// The forward input.
    pub x: DeviceTensor,
    /// The scale, one row.
    pub gamma: DeviceTensor,
    /// The forward's mean, one column.
    pub mean: DeviceTensor,
    /// The forward's 1/std, one column.
    pub rstd: DeviceTensor,
    /// The gradient of the output.
    pub dy: DeviceTensor,
}

/// The operation's outputs, bf16 in tile layout, all of x's shape.
pub struct Outputs {
    /// The gradient of x.
    pub dx: DeviceTensor,
    /// dy·x̂, to be summed over rows.
    pub dgamma: DeviceTensor,
    /// dy, to be summed over rows.
    pub dbeta: DeviceTensor,
}

/// Makes the program on at most `cores` cores.
pub fn program(
    device: &Device,
    inputs: &Inputs,
    outputs: &Outputs,
    path: Path,
    faults: Faults,
    cores: u32,
) -> Result<Program, OpError> {
    let shape = &inputs.x.shape;
    let row_tiles = shape.tile_columns() as u32;
    let rows = (shape.tile_rows() * shape.matrices()) as u32;
    let split = WorkSplit::new(device.architecture(), cores, rows)?;
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();
    let mut builder = Program::builder("layernorm_bw_published");
    for mut spec in buffers(row_tiles, path) {
        if faults.one_page_buffer && spec.id == cb::X {
            spec.pages = 1;
        }
        builder.circular_buffer(&cores, spec);
    }

    declare(&mut builder, inputs, outputs);
    let features = shape.width() as u32;
    let mut read_args = vec![features, row_tiles];
    for tensor in [&inputs.gamma, &inputs.x, &inputs.mean, &inputs.rstd, &inputs.dy] {
        tensor.accessor_args().append_to(&mut read_args);
    }
    let mut write_args = vec![row_tiles];
    for tensor in [&outputs.dx, &outputs.dgamma, &outputs.dbeta] {
        tensor.accessor_args().append_to(&mut write_args);
    }
    let settings = ComputeSettings { width: DstWidth::Bits32, ..ComputeSettings::default() };
    let config = ComputeConfig { settings, ..ComputeConfig::default() };
    let is_masked = !features.is_multiple_of(TILE_SIDE as u32);
    let read = builder.data_movement(
        "reader",
        &cores,
        DataMovementPlace::Reader,
        CompileTimeArgs::positional(&read_args),
        move |ctx| reader::kernel(ctx, path),
    );
    let args = CompileTimeArgs::positional(&[row_tiles]);
    let compute = builder.compute("compute", &cores, config, args, move |ctx| {
        compute::kernel(ctx, path, is_masked, faults);
    });
    let write = builder.data_movement(
        "writer",
        &cores,
        DataMovementPlace::Writer,
        CompileTimeArgs::positional(&write_args),
        writer::kernel,
    );
    for share in split.shares() {
        let address = |tensor: &DeviceTensor| tensor.buffer.address_word();
        let mut read_args = [&inputs.gamma, &inputs.x, &inputs.mean, &inputs.rstd, &inputs.dy]
            .map(address)
            .to_vec();
        let mut write_args = [&outputs.dx, &outputs.dgamma, &outputs.dbeta].map(address).to_vec();
        read_args.extend([share.first_unit, share.units]);
        write_args.extend([share.first_unit, share.units]);
        builder.runtime_args(read, share.core, &read_args);
        builder.runtime_args(compute, share.core, &[share.units]);
        builder.runtime_args(write, share.core, &write_args);
    }
    Ok(builder.build(device.architecture(), device.l1_lowest())?)
}

/// Both row sums hold every tile of their row; dγ and dβ are not summed here.
fn declare(builder: &mut ProgramBuilder, inputs: &Inputs, outputs: &Outputs) {
    builder.input("x", &inputs.x).input("gamma", &inputs.gamma).input("dy", &inputs.dy);
    builder.input("mean", &inputs.mean).input("rstd", &inputs.rstd);
    builder.output("dx", &outputs.dx);
    builder.output("dgamma", &outputs.dgamma).output("dbeta", &outputs.dbeta);
    for input in ["x", "gamma", "dy"] {
        builder.contributes("dx", input, Extent::Same, Extent::All);
        builder.row_sum(cb::SUM_DY_GAMMA_X_HAT, input);
    }
    for input in ["x", "dy", "mean", "rstd"] {
        builder.contributes("dgamma", input, Extent::Same, Extent::Same);
    }
    builder.contributes("dbeta", "dy", Extent::Same, Extent::Same);
    builder.row_sum(cb::SUM_DY_GAMMA, "gamma").row_sum(cb::SUM_DY_GAMMA, "dy");
}

/// The path that the operation takes: a whole tile-row in L1 if its buffers fit.
pub fn path(device: &Device, shape: &Shape) -> Path {
    choose(device, &buffers(shape.tile_columns() as u32, Path::Row))
}

fn buffers(row_tiles: u32, path: Path) -> Vec<CbSpec> {
    let (row, padded_row) = match path {
        Path::Row => (row_tiles, row_tiles.next_multiple_of(BLOCK)),
        Path::Block => (2 * BLOCK, 2 * BLOCK),
    };
    let (bf16, fp32) = (DataFormat::Bfloat16, DataFormat::Float32);
    vec![
        CbSpec::tiles(cb::SCALER, "cb_scaler", bf16, 1),
        CbSpec::tiles(cb::MASK, "cb_mask_w", bf16, 1),
        CbSpec::tiles(cb::GAMMA, "cb_gamma", bf16, row),
        CbSpec::tiles(cb::X_HAT, "cb_x_hat", bf16, padded_row),
        CbSpec::tiles(cb::RSTD, "cb_rstd", bf16, 1),
        CbSpec::tiles(cb::DY, "cb_dy", bf16, row),
        CbSpec::tiles(cb::X, "cb_x", bf16, row),
        CbSpec::tiles(cb::MEAN, "cb_mean", bf16, 1),
        CbSpec::tiles(cb::MEAN_BCAST, "cb_mean_bcast", bf16, 1),
        CbSpec::tiles(cb::DX, "cb_dx", bf16, 2 * BLOCK),
        CbSpec::tiles(cb::DGAMMA, "cb_dgamma", bf16, 2 * BLOCK),
        CbSpec::tiles(cb::DBETA, "cb_dbeta", bf16, 2 * BLOCK),
        CbSpec::tiles(cb::RSTD_BCAST, "cb_rstd_bcast", bf16, 1),
        CbSpec::tiles(cb::SUM_DY_GAMMA, "cb_sum_dy_gamma", fp32, 1),
        CbSpec::tiles(cb::SUM_DY_GAMMA_X_HAT, "cb_sum_dy_gamma_x_hat", fp32, 1),
    ]
}
