//! Blocks of a tile-row, at most as wide as a section of Dst, dealt out to cores.

use tilewright_metal::{
    CbSpec, CompileTimeArgs, CoreSet, DataMovementPlace, Device, DeviceTensor, Extent, Program,
    WorkSplit,
};
use tilewright_tile::TILE_SIDE;

use super::{compute, reader, writer};
use crate::dst::widest_block;
use crate::operation::{OpError, Request};

/// Sticks as the reader finds them.
pub(super) const STICKS_IN: u8 = 0;
/// Tiles between tilize and untilize.
pub(super) const TILES: u8 = 1;
/// Sticks for the writer.
pub(super) const STICKS_OUT: u8 = 16;

/// The one function from shapes and options to a program.
pub(super) fn program(
    device: &Device,
    request: &Request,
    from: &DeviceTensor,
    to: &DeviceTensor,
) -> Result<Program, OpError> {
    let (shape, format) = (&request.shape, request.format);
    let value_bytes = from.buffer.page_bytes / shape.width() as u32;
    let row_tiles = shape.tile_columns() as u32;
    let block = widest_block(row_tiles, request.settings.section_tiles());
    let blocks = shape.tile_rows() as u32 * shape.matrices() as u32 * (row_tiles / block);
    let split = WorkSplit::new(device.architecture(), request.cores, blocks)?;
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();

    let mut builder = Program::builder("identity");
    let segment_bytes = block * TILE_SIDE as u32 * value_bytes;
    // A block of 32 sticks takes as much room as its tiles, and is counted in their pages.
    let buffer = |id, name| CbSpec::tiles(id, name, format, 2 * block);
    builder.circular_buffer(&cores, buffer(STICKS_IN, "cb_sticks_in"));
    builder.circular_buffer(&cores, buffer(TILES, "cb_tiles"));
    builder.circular_buffer(&cores, buffer(STICKS_OUT, "cb_sticks_out"));

    builder.input("x", from).output("y", to);
    builder.contributes("y", "x", Extent::Same, Extent::Same);
    let movement = |tensor: &DeviceTensor| {
        let (height, stick_bytes) = (shape.height() as u32, tensor.buffer.page_bytes);
        let mut args = vec![height, row_tiles / block, segment_bytes, stick_bytes, block];
        tensor.accessor_args().append_to(&mut args);
        CompileTimeArgs::positional(&args)
    };
    let (read_at, write_at) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
    let read = builder.data_movement("reader", &cores, read_at, movement(from), reader::kernel);
    let args = CompileTimeArgs::positional(&[block]);
    let config = request.compute_config();
    let tilize = builder.compute("compute", &cores, config, args, compute::kernel);
    let write = builder.data_movement("writer", &cores, write_at, movement(to), writer::kernel);
    for share in split.shares() {
        let work = [share.first_unit, share.units];
        let movement = |tensor: &DeviceTensor| [tensor.buffer.address_word(), work[0], work[1]];
        builder.runtime_args(read, share.core, &movement(from));
        builder.runtime_args(tilize, share.core, &[share.units]);
        builder.runtime_args(write, share.core, &movement(to));
    }
    Ok(builder.build(device.architecture(), device.l1_lowest())?)
}
