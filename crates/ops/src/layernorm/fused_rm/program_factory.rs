//! Tile-rows of all leading dimensions dealt out to cores; the whole row in L1 when it fits.
//!
//! When it does not, sticks are read in three passes, for mean, 1/std and y. That is the row
//! path's arithmetic to the last bit; Welford's would save a pass and divide for each element.

use tilewright_metal::{
    CbSpec, ComputeConfig, Device, DeviceTensor, Extent, Layout, Program, ProgramBuilder,
};
use tilewright_tile::{DataFormat, TILE_SIDE};

use super::{Faults, Options, compute, reader, writer};
use crate::layernorm::forward::compute::{BLOCK, Plan};
use crate::layernorm::tile_rows::TileRows;
use crate::layernorm::{Path, SETTINGS, cb, choose, unpack_to_dst};
use crate::operation::OpError;

/// The one format of the operation.
pub(super) const FORMAT: DataFormat = DataFormat::Bfloat16;

/// Bytes of one row of one tile.
pub(super) const TILE_ROW_BYTES: u32 = 2 * TILE_SIDE as u32;

/// Pages of a ring of two blocks, where a page is a stick.
const STICK_PAGES: u32 = 2 * TILE_SIDE as u32;

/// Inputs and output.
pub(super) struct Tensors {
    pub(super) x: DeviceTensor,
    pub(super) gamma: DeviceTensor,
    pub(super) beta: DeviceTensor,
    pub(super) y: DeviceTensor,
}

/// The one function from shapes and options to a program.
pub(super) fn program(
    device: &Device,
    options: &Options,
    epsilon: f32,
    tensors: &Tensors,
    faults: Faults,
) -> Result<Program, OpError> {
    let shape = &tensors.x.shape;
    let row_tiles = shape.tile_columns() as u32;
    let path = options.path.unwrap_or_else(|| choose(device, &buffers(Path::Row, row_tiles)));
    let plan = Plan {
        path,
        layout: Layout::RowMajor,
        format: FORMAT,
        features: shape.width() as u32,
        row_tiles,
        epsilon,
        writes_statistics: false,
    };
    let mut buffers = buffers(path, row_tiles);
    if faults.stick_sized_page {
        // As many bytes, in pages of one stick of a block's width.
        let spec = &mut buffers[0];
        (spec.page_bytes, spec.pages) = (block_tiles(path) * TILE_ROW_BYTES, STICK_PAGES);
    }
    let config = ComputeConfig {
        settings: SETTINGS,
        unpack_to_dst: unpack_to_dst(&buffers),
        ..ComputeConfig::default()
    };
    let rows = TileRows {
        name: "layernorm_fused_rm",
        rows: (shape.sticks() / TILE_SIDE) as u32,
        cores: options.cores,
        buffers,
        config,
        inputs: &[&tensors.x, &tensors.gamma, &tensors.beta],
        outputs: &[&tensors.y],
        declare: &|builder| declare(builder, tensors),
    };
    rows.program(
        device,
        move |ctx| reader::kernel(ctx, plan, faults),
        move |ctx| compute::kernel(ctx, plan),
        move |ctx| writer::kernel(ctx, plan),
    )
}

/// The statistics of a row hold all of it, and every element of y holds its row's statistics.
fn declare(builder: &mut ProgramBuilder, tensors: &Tensors) {
    builder.input("x", &tensors.x).input("gamma", &tensors.gamma).input("beta", &tensors.beta);
    builder.output("y", &tensors.y).contributes("y", "x", Extent::Same, Extent::All);
    builder.contributes("y", "gamma", Extent::Same, Extent::Same);
    builder.contributes("y", "beta", Extent::Same, Extent::Same);
    builder.row_sum(cb::MEAN, "x").row_sum(cb::RSTD, "x");
}

/// Tiles across a block of sticks. Wide blocks make long reads; on the block path, what is
/// tilized at a time is what the arithmetic takes at a time.
pub(super) const fn block_tiles(path: Path) -> u32 {
    match path {
        Path::Row => 8,
        Path::Block => BLOCK,
    }
}

/// Buffers before tilize and after untilize have pages of a tile too: 32 sticks of `n` tiles'
/// width are `n` of them, and a ring of whole blocks never splits a stick.
pub(super) fn buffers(path: Path, row_tiles: u32) -> Vec<CbSpec> {
    let row = match path {
        Path::Row => row_tiles,
        Path::Block => 2 * BLOCK,
    };
    let (bf16, fp32) = (DataFormat::Bfloat16, DataFormat::Float32);
    let mut specs = vec![
        CbSpec::tiles(cb::STICKS, "cb_sticks", FORMAT, 2 * block_tiles(path)),
        CbSpec::tiles(cb::X, "cb_x", FORMAT, row),
        CbSpec::tiles(cb::GAMMA, "cb_gamma", FORMAT, row),
        CbSpec::tiles(cb::BETA, "cb_beta", FORMAT, row),
        CbSpec::tiles(cb::ZEROS, "cb_zeros", FORMAT, 1),
        CbSpec::tiles(cb::ONES, "cb_ones", bf16, 1),
        CbSpec::tiles(cb::SPLIT, "cb_split", fp32, 2),
        CbSpec::tiles(cb::MEAN, "cb_mean", fp32, 1),
        CbSpec::tiles(cb::RSTD, "cb_rstd", fp32, 1),
        CbSpec::tiles(cb::OUT, "cb_y", FORMAT, 2 * BLOCK),
    ];
    if path == Path::Block {
        specs.push(CbSpec::tiles(cb::CARRY, "cb_carry", fp32, 1));
    }
    specs
}
