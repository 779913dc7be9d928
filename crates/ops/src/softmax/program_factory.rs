//! Rows of tiles dealt out to cores.

use tilewright_metal::{
    CompileTimeArgs, CoreSet, DataMovementPlace, Device, DeviceTensor, Extent, Program, WorkSplit,
};
use tilewright_tile::{DstWidth, TILE_SIDE};

use super::plan::{BLOCK_SUM, Path, Plan, SUM};
use super::{compute, reader, writer};
use crate::operation::{OpError, Request};

/// The one function from shapes and options to a program.
pub(super) fn program(
    device: &Device,
    request: &Request,
    path: &str,
    x: &DeviceTensor,
    y: &DeviceTensor,
) -> Result<Program, OpError> {
    let (shape, settings) = (&request.shape, &request.settings);
    let asked = match path {
        "row" => Some(Path::WholeRow),
        "blocks" => Some(Path::Blocks),
        _auto => None,
    };
    let arch = device.architecture();
    let room = device.l1_lowest().saturating_sub(arch.l1_base);
    let row_tiles = shape.tile_columns() as u32;
    let plan = Plan::choose(asked, row_tiles, settings, request.format, room);
    let rows = (shape.matrices() * shape.tile_rows()) as u32;
    let split = WorkSplit::new(arch, request.cores, rows)?;
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();

    let mut builder = Program::builder("softmax");
    for ring in plan.rings(settings, request.format) {
        builder.circular_buffer(&cores, ring);
    }
    builder.input("x", x).output("y", y).contributes("y", "x", Extent::Same, Extent::All);
    let mut config = request.compute_config();
    if settings.width == DstWidth::Bits32 {
        // Sums go back to Dst, to be added up and inverted, without losing digits.
        config.unpack_to_dst.extend([SUM, BLOCK_SUM]);
    }
    let passes = match plan.path {
        Path::WholeRow => 1,
        Path::Blocks => 3,
    };
    let blocks = row_tiles / plan.block;
    let valid_columns = ((shape.width() - 1) % TILE_SIDE + 1) as u32;
    let movement = |tensor: &DeviceTensor, words: &[u32]| {
        let mut args = words.to_vec();
        tensor.accessor_args().append_to(&mut args);
        CompileTimeArgs::positional(&args)
    };
    let (read_at, write_at) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
    let args = movement(x, &[plan.block, blocks, passes, valid_columns]);
    let read = builder.data_movement("reader", &cores, read_at, args, reader::kernel);
    let args = CompileTimeArgs::positional(&[plan.block, blocks, passes]);
    let work = builder.compute("compute", &cores, config, args, compute::kernel);
    let args = movement(y, &[plan.block, blocks]);
    let write = builder.data_movement("writer", &cores, write_at, args, writer::kernel);
    for share in split.shares() {
        let (first, count) = (share.first_unit, share.units);
        builder.runtime_args(read, share.core, &[x.buffer.address_word(), first, count]);
        builder.runtime_args(work, share.core, &[count]);
        builder.runtime_args(write, share.core, &[y.buffer.address_word(), first, count]);
    }
    Ok(builder.build(arch, device.l1_lowest())?)
}
