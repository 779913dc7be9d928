//! Blocks of output tiles dealt out to cores; each core reads what its blocks need.

use tilewright_metal::{
    CbSpec, CompileTimeArgs, CoreSet, DataMovementPlace, Device, DeviceTensor, Extent, Program,
    WorkSplit,
};

use super::blocks::{Blocks, Sizes};
use super::{compute, reader, writer};
use crate::operation::{OpError, Request};

/// Tiles of A.
pub(super) const A: u8 = 0;
/// Tiles of B.
pub(super) const B: u8 = 1;
/// Tiles of the product.
pub(super) const OUT: u8 = 16;

/// The one function from shapes and options to a program.
pub(super) fn program(
    device: &Device,
    request: &Request,
    [a, b]: [&DeviceTensor; 2],
    out: &DeviceTensor,
) -> Result<Program, OpError> {
    let sizes = Sizes {
        matrices: a.shape.matrices() as u32,
        rows: a.shape.tile_rows() as u32,
        depth: a.shape.tile_columns() as u32,
        columns: out.shape.tile_columns() as u32,
    };
    let blocks = Blocks::choose(sizes, request.settings.section_tiles(), request.cores);
    let split = WorkSplit::new(device.architecture(), request.cores, blocks.count(sizes.matrices))?;
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();

    let mut builder = Program::builder("matmul");
    let double = |id, name, tiles| CbSpec::tiles(id, name, request.format, 2 * tiles);
    builder.circular_buffer(&cores, double(A, "cb_a", blocks.a_tiles()));
    builder.circular_buffer(&cores, double(B, "cb_b", blocks.b_tiles()));
    builder.circular_buffer(&cores, double(OUT, "cb_out", blocks.tiles()));

    // Padding along K is summed with the rest: the host fills it with zeros.
    builder.padded_input("a", a).padded_input("b", b).output("c", out);
    builder.contributes("c", "a", Extent::Same, Extent::All);
    builder.contributes("c", "b", Extent::Matrix, Extent::Same);
    let args = |tensors: &[&DeviceTensor]| {
        let mut args = blocks.words().to_vec();
        tensors.iter().for_each(|tensor| tensor.accessor_args().append_to(&mut args));
        CompileTimeArgs::positional(&args)
    };
    let (read_at, write_at) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
    let read = builder.data_movement("reader", &cores, read_at, args(&[a, b]), reader::kernel);
    let config = request.compute_config();
    let multiply = builder.compute("compute", &cores, config, args(&[]), compute::kernel);
    let write = builder.data_movement("writer", &cores, write_at, args(&[out]), writer::kernel);
    for share in split.shares() {
        let (first, count) = (share.first_unit, share.units);
        let [a, b, out] = [a, b, out].map(|tensor| tensor.buffer.address_word());
        builder.runtime_args(read, share.core, &[a, b, first, count]);
        builder.runtime_args(multiply, share.core, &[count]);
        builder.runtime_args(write, share.core, &[out, first, count]);
    }
    Ok(builder.build(device.architecture(), device.l1_lowest())?)
}
