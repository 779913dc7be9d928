//! Tile-rows dealt out to cores; the whole row in L1 when it fits.

use tilewright_metal::{CbSpec, Device, Extent, Program, ProgramBuilder};
use tilewright_tile::DataFormat;

use super::super::Tensors;
use super::compute::BLOCK;
use super::{Plan, compute, reader, writer};
use crate::layernorm::forward::compute_config;
use crate::layernorm::tile_rows::TileRows;
use crate::layernorm::{Path, asked, cb, choose};
use crate::operation::{OpError, Request};

/// The one function from shapes and options to a program.
pub(in crate::layernorm::backward) fn program(
    device: &Device,
    request: &Request,
    tensors: &Tensors,
) -> Result<Program, OpError> {
    let shape = &request.shape;
    let row_tiles = shape.tile_columns() as u32;
    let what_fits = || choose(device, &buffers(Path::Row, request.format, row_tiles));
    let path = asked(request)?.unwrap_or_else(what_fits);
    let plan = Plan { path, format: request.format, features: shape.width() as u32, row_tiles };
    let buffers = buffers(path, request.format, row_tiles);
    let rows = TileRows {
        name: "layernorm_bw_dx",
        rows: (shape.tile_rows() * shape.matrices()) as u32,
        cores: request.cores,
        config: compute_config(request, &buffers),
        buffers,
        inputs: &[&tensors.x, &tensors.gamma, &tensors.mean, &tensors.rstd, &tensors.dy],
        outputs: &[&tensors.dx],
        declare: &|builder| declare(builder, tensors),
    };
    rows.program(
        device,
        move |ctx| reader::kernel(ctx, plan),
        move |ctx| compute::kernel(ctx, plan),
        move |ctx| writer::kernel(ctx, plan),
    )
}

/// Both row sums hold every tile of their row; dx could hide what one of them lacks, because each
/// of its tiles holds its own dy·γ besides.
fn declare(builder: &mut ProgramBuilder, tensors: &Tensors) {
    builder.input("x", &tensors.x).input("gamma", &tensors.gamma).input("dy", &tensors.dy);
    builder.input("mean", &tensors.mean).input("rstd", &tensors.rstd).output("dx", &tensors.dx);
    for input in ["x", "gamma", "dy"] {
        builder.contributes("dx", input, Extent::Same, Extent::All);
        builder.row_sum(cb::MEAN_DY_GAMMA_X_HAT, input);
    }
    builder.contributes("dx", "mean", Extent::Same, Extent::Same);
    builder.contributes("dx", "rstd", Extent::Same, Extent::Same);
    builder.row_sum(cb::MEAN_DY_GAMMA, "gamma").row_sum(cb::MEAN_DY_GAMMA, "dy");
}

fn buffers(path: Path, format: DataFormat, row_tiles: u32) -> Vec<CbSpec> {
    let row = match path {
        Path::Row => row_tiles,
        Path::Block => 2 * BLOCK,
    };
    let (bf16, fp32) = (DataFormat::Bfloat16, DataFormat::Float32);
    vec![
        CbSpec::tiles(cb::X, "cb_x", format, row),
        CbSpec::tiles(cb::GAMMA, "cb_gamma", format, row),
        CbSpec::tiles(cb::DY, "cb_dy", format, row),
        CbSpec::tiles(cb::ONES, "cb_ones", bf16, 1),
        CbSpec::tiles(cb::MASK, "cb_mask", bf16, 1),
        CbSpec::tiles(cb::MEAN, "cb_mean", format, 2),
        CbSpec::tiles(cb::RSTD, "cb_rstd", format, 2),
        CbSpec::tiles(cb::SPLIT, "cb_split", fp32, 4),
        CbSpec::tiles(cb::MEAN_DY_GAMMA, "cb_mean_dy_gamma", fp32, 1),
        CbSpec::tiles(cb::MEAN_DY_GAMMA_X_HAT, "cb_mean_dy_gamma_x_hat", fp32, 1),
        CbSpec::tiles(cb::OUT, "cb_dx", format, 2 * BLOCK),
    ]
}
