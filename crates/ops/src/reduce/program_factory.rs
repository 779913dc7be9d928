//! Groups of strips, dealt out to cores.

use tilewright_metal::{
    CbSpec, CompileTimeArgs, CoreSet, DataMovementPlace, Device, DeviceTensor, Extent, Program,
    WorkSplit,
};
use tilewright_tile::fpu::ReduceDim;

use super::strips::Strips;
use super::{Options, compute, reader, writer};
use crate::operation::{OpError, Request};

/// Tiles of the input.
pub(super) const IN: u8 = 0;
/// The scaler tile.
pub(super) const SCALER: u8 = 2;
/// Reduced tiles for the writer.
pub(super) const OUT: u8 = 16;

/// The one function from shapes and options to a program.
pub(super) fn program(
    device: &Device,
    request: &Request,
    options: Options,
    from: &DeviceTensor,
    to: &DeviceTensor,
) -> Result<Program, OpError> {
    let strips = Strips::new(&request.shape, options.dim, &request.settings, request.cores);
    let split = WorkSplit::new(device.architecture(), request.cores, strips.groups())?;
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();

    let mut builder = Program::builder("reduce");
    let mut buffer = |id, name, pages| {
        builder.circular_buffer(&cores, CbSpec::tiles(id, name, request.format, pages));
    };
    buffer(IN, "cb_in", 2 * strips.block());
    buffer(SCALER, "cb_scaler", 1);
    buffer(OUT, "cb_out", 2 * strips.across);

    let (rows, columns) = match options.dim {
        ReduceDim::Row => (Extent::Same, Extent::All),
        ReduceDim::Column => (Extent::Matrix, Extent::Same),
        ReduceDim::Scalar => (Extent::Matrix, Extent::All),
    };
    builder.input("x", from).output("y", to).contributes("y", "x", rows, columns);
    let arguments = |tensor: Option<&DeviceTensor>| {
        let mut words = strips.words().to_vec();
        if let Some(tensor) = tensor {
            tensor.accessor_args().append_to(&mut words);
        }
        CompileTimeArgs::positional(&words)
    };
    let (at, args) = (DataMovementPlace::Reader, arguments(Some(from)));
    let shape = request.shape;
    let read = builder
        .data_movement("reader", &cores, at, args, move |ctx| reader::kernel(ctx, options, &shape));
    let (config, args) = (request.compute_config(), arguments(None));
    let reduce =
        builder.compute("compute", &cores, config, args, move |ctx| compute::kernel(ctx, options));
    let (at, args) = (DataMovementPlace::Writer, arguments(Some(to)));
    let write = builder.data_movement("writer", &cores, at, args, writer::kernel);
    for share in split.shares() {
        let (first, groups) = (share.first_unit, share.units);
        let movement = |tensor: &DeviceTensor| [first, groups, tensor.buffer.address_word()];
        builder.runtime_args(read, share.core, &movement(from));
        builder.runtime_args(reduce, share.core, &[first, groups]);
        builder.runtime_args(write, share.core, &movement(to));
    }
    Ok(builder.build(device.architecture(), device.l1_lowest())?)
}
