//! Blocks of tiles, dealt out to cores.

use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreSet, DataMovementPlace, Device, DeviceTensor,
    Extent, Program, WorkSplit,
};
use tilewright_tile::{DataFormat, DstWidth};

use super::blocks::Blocks;
use super::{Engine, Options, compute, reader, writer};
use crate::operation::{OpError, Request};

/// Tiles of the first operand.
pub(super) const FIRST: u8 = 0;
/// Tiles of the second operand.
pub(super) const SECOND: u8 = 1;
/// Tiles for the writer.
pub(super) const OUT: u8 = 16;

/// The one function from shapes and options to a program.
pub(super) fn program(
    device: &Device,
    request: &Request,
    options: Options,
    [first, second, output]: [&DeviceTensor; 3],
) -> Result<Program, OpError> {
    let blocks = Blocks::new(&request.shape, options, &request.settings, request.cores);
    let split = WorkSplit::new(device.architecture(), request.cores, blocks.count())?;
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();

    let mut builder = Program::builder("eltwise");
    let mut buffer = |id, name, tiles| {
        builder.circular_buffer(&cores, CbSpec::tiles(id, name, request.format, 2 * tiles));
    };
    buffer(FIRST, "cb_first", blocks.block);
    buffer(SECOND, "cb_second", blocks.second_block());
    buffer(OUT, "cb_out", blocks.block);

    builder.input("a", first).input("b", second).output("y", output);
    for input in ["a", "b"] {
        builder.contributes("y", input, Extent::Same, Extent::Same);
    }
    let arguments = |tensors: &[&DeviceTensor]| {
        let mut words = blocks.words().to_vec();
        tensors.iter().for_each(|tensor| tensor.accessor_args().append_to(&mut words));
        CompileTimeArgs::positional(&words)
    };
    let (at, args) = (DataMovementPlace::Reader, arguments(&[first, second]));
    let read =
        builder.data_movement("reader", &cores, at, args, move |ctx| reader::kernel(ctx, options));
    let config = compute_config(request, options);
    let combine = builder.compute("compute", &cores, config, arguments(&[]), move |ctx| {
        compute::kernel(ctx, options)
    });
    let (at, args) = (DataMovementPlace::Writer, arguments(&[output]));
    let write = builder.data_movement("writer", &cores, at, args, writer::kernel);
    for share in split.shares() {
        let (first_block, blocks) = (share.first_unit, share.units);
        let operands = [first.buffer.address_word(), second.buffer.address_word()];
        let read_args = [first_block, blocks, operands[0], operands[1]];
        builder.runtime_args(read, share.core, &read_args);
        builder.runtime_args(combine, share.core, &[first_block, blocks]);
        let write_args = [first_block, blocks, output.buffer.address_word()];
        builder.runtime_args(write, share.core, &write_args);
    }
    Ok(builder.build(device.architecture(), device.l1_lowest())?)
}

/// The vector unit gets all bits of fp32 operands if Dst is wide enough to take them.
fn compute_config(request: &Request, options: Options) -> ComputeConfig {
    let mut config = request.compute_config();
    if goes_straight_to_dst(request, options) {
        config.unpack_to_dst.extend([FIRST, SECOND]);
    }
    config
}

/// Whether operands go to Dst as they are, without passing through a source register.
pub(super) fn goes_straight_to_dst(request: &Request, options: Options) -> bool {
    matches!(options.engine, Engine::Sfpu(_))
        && request.format == DataFormat::Float32
        && request.settings.width == DstWidth::Bits32
}
