//! Runs of tiles dealt out to cores, copied in blocks as large as a section of Dst.

use tilewright_metal::{
    CbSpec, CompileTimeArgs, CoreSet, DataMovementPlace, Device, DeviceTensor, Extent, Program,
    WorkSplit,
};

use super::{compute, reader, writer};
use crate::operation::{OpError, Request};

/// Tiles for compute.
pub(super) const IN: u8 = 0;
/// Tiles for the writer.
pub(super) const OUT: u8 = 16;

/// The one function from shapes and options to a program.
pub(super) fn program(
    device: &Device,
    request: &Request,
    from: &DeviceTensor,
    to: &DeviceTensor,
) -> Result<Program, OpError> {
    let tiles = request.shape.tiles() as u32;
    let split = WorkSplit::new(device.architecture(), request.cores, tiles)?;
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();
    let block = request.settings.section_tiles();
    let mut builder = Program::builder("copy");
    builder.circular_buffer(&cores, CbSpec::tiles(IN, "cb_in", request.format, 2 * block));
    builder.circular_buffer(&cores, CbSpec::tiles(OUT, "cb_out", request.format, 2 * block));
    builder.input("x", from).output("y", to);
    builder.contributes("y", "x", Extent::Same, Extent::Same);
    let args = |tensor: &DeviceTensor| {
        let mut words = vec![block];
        tensor.accessor_args().append_to(&mut words);
        CompileTimeArgs::positional(&words)
    };
    let (read_at, write_at) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
    let read = builder.data_movement("reader", &cores, read_at, args(from), reader::kernel);
    let config = request.compute_config();
    let block = CompileTimeArgs::positional(&[block]);
    let copy = builder.compute("compute", &cores, config, block, compute::kernel);
    let write = builder.data_movement("writer", &cores, write_at, args(to), writer::kernel);
    for share in split.shares() {
        let (first, tiles) = (share.first_unit, share.units);
        builder.runtime_args(read, share.core, &[from.buffer.address_word(), first, tiles]);
        builder.runtime_args(copy, share.core, &[tiles]);
        builder.runtime_args(write, share.core, &[to.buffer.address_word(), first, tiles]);
    }
    Ok(builder.build(device.architecture(), device.l1_lowest())?)
}
