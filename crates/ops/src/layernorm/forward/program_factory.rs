//! Tile-rows dealt out to cores; the whole row in L1 when it fits.

use tilewright_metal::{
    CbSpec, ComputeConfig, Device, DeviceTensor, DstSync, Extent, Layout, Program, ProgramBuilder,
};
use tilewright_tile::DataFormat;

use super::compute::{BLOCK, Plan};
use super::{compute, reader, writer};
use crate::layernorm::tile_rows::TileRows;
use crate::layernorm::{EPSILON, Path, asked, cb, choose, unpack_to_dst};
use crate::operation::{OpError, Request};

/// Inputs and outputs.
pub(super) struct Tensors<'a> {
    pub(super) x: &'a DeviceTensor,
    pub(super) gamma: &'a DeviceTensor,
    pub(super) beta: &'a DeviceTensor,
    pub(super) y: &'a DeviceTensor,
    pub(super) mean: &'a DeviceTensor,
    pub(super) rstd: &'a DeviceTensor,
}

/// The one function from shapes and options to a program.
pub(super) fn program(
    device: &Device,
    request: &Request,
    tensors: &Tensors<'_>,
) -> Result<Program, OpError> {
    let shape = &request.shape;
    let row_tiles = shape.tile_columns() as u32;
    let what_fits = || choose(device, &buffers(Path::Row, request.format, row_tiles));
    let path = asked(request)?.unwrap_or_else(what_fits);
    let plan = Plan {
        path,
        layout: Layout::Tile,
        format: request.format,
        features: shape.width() as u32,
        row_tiles,
        epsilon: request.epsilon.unwrap_or(EPSILON),
        writes_statistics: true,
    };
    let buffers = buffers(path, request.format, row_tiles);
    let rows = TileRows {
        name: "layernorm_fw",
        rows: (shape.tile_rows() * shape.matrices()) as u32,
        cores: request.cores,
        config: compute_config(request, &buffers),
        buffers,
        inputs: &[tensors.x, tensors.gamma, tensors.beta],
        outputs: &[tensors.y, tensors.mean, tensors.rstd],
        declare: &|builder| declare(builder, tensors),
    };
    rows.program(
        device,
        move |ctx| reader::kernel(ctx, plan),
        move |ctx| compute::kernel(ctx, plan),
        move |ctx| writer::kernel(ctx, plan),
    )
}

/// The statistics of a row hold all of it, and every element of y holds its row's statistics.
fn declare(builder: &mut ProgramBuilder, tensors: &Tensors<'_>) {
    builder.input("x", tensors.x).input("gamma", tensors.gamma).input("beta", tensors.beta);
    builder.output("y", tensors.y).output("mean", tensors.mean).output("rstd", tensors.rstd);
    for output in ["y", "mean", "rstd"] {
        builder.contributes(output, "x", Extent::Same, Extent::All);
    }
    builder.contributes("y", "gamma", Extent::Same, Extent::Same);
    builder.contributes("y", "beta", Extent::Same, Extent::Same);
    builder.row_sum(cb::MEAN, "x").row_sum(cb::RSTD, "x");
}

/// Dst is used whole: these kernels keep more tiles in it than half of it holds.
pub(in crate::layernorm) fn compute_config(request: &Request, specs: &[CbSpec]) -> ComputeConfig {
    let mut config = request.compute_config();
    config.settings.sync = DstSync::Full;
    config.unpack_to_dst = unpack_to_dst(specs);
    config
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
        CbSpec::tiles(cb::BETA, "cb_beta", format, row),
        CbSpec::tiles(cb::ONES, "cb_ones", bf16, 1),
        CbSpec::tiles(cb::ZEROS, "cb_zeros", bf16, 1),
        CbSpec::tiles(cb::MASK, "cb_mask", bf16, 1),
        CbSpec::tiles(cb::SPLIT, "cb_split", fp32, 2),
        CbSpec::tiles(cb::MEAN, "cb_mean", fp32, 1),
        CbSpec::tiles(cb::RSTD, "cb_rstd", fp32, 1),
        CbSpec::tiles(cb::OUT, "cb_y", format, 2 * BLOCK),
        CbSpec::tiles(cb::MEAN_OUT, "cb_mean_out", format, 2),
        CbSpec::tiles(cb::RSTD_OUT, "cb_rstd_out", format, 2),
    ]
}
