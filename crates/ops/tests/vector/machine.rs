//! A kernel on the machine that copies tiles to Dst, calls a function and packs its result.

use std::collections::BTreeSet;

use tilewright_metal::api::Compute;
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, DataMovementPlace, Device, Ending, Layout,
    Program, RunOptions, Tensor,
};
use tilewright_ops::ForeignKernel;
use tilewright_tile::{Chip, DataFormat, DstWidth};

use super::cases::{Action, Case};

const ORIGIN: CoreCoord = CoreCoord::new(0, 0);

/// What decides the bits besides the call and the operands.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub chip: Chip,
    pub width: DstWidth,
    /// Whether fp32 goes straight to Dst.
    pub is_straight: bool,
}

impl Unit {
    /// What a reference is told of the kernel.
    pub fn kernel(self, output: DataFormat) -> ForeignKernel {
        ForeignKernel {
            chip: self.chip,
            is_approximate: false,
            unpacks_to_dst: self.is_straight,
            outputs: vec![Some(output)],
        }
    }

    fn config(self, inputs: &[Tensor]) -> ComputeConfig {
        let mut config = ComputeConfig::default();
        config.settings.width = self.width;
        let floats = (0_u8..).zip(inputs).filter(|(_, it)| it.format() == DataFormat::Float32);
        let straight = floats.map(|(cb, _)| cb).filter(|_| self.is_straight);
        config.unpack_to_dst = BTreeSet::from_iter(straight);
        config
    }
}

/// The first output buffer.
pub const OUT: u8 = 16;

/// An output buffer: its format, and how many tiles it has.
pub type Output = (DataFormat, usize);

/// The bytes that a kernel leaves in its output buffers, or what the machine refuses. Its inputs
/// are in buffers from 0 on, whole and in tiles.
pub fn launch(
    unit: Unit,
    inputs: &[Tensor],
    outputs: &[Output],
    compute: impl Fn(&Compute<'_>) + Send + Sync + 'static,
) -> Result<Vec<Vec<u8>>, String> {
    let name = match unit.chip {
        Chip::Wormhole => "n150",
        Chip::Blackhole => "p150",
    };
    let mut device = Device::named(name).expect("it is known");
    let mut builder = Program::builder("vector functions");
    let pages: Vec<u32> = inputs.iter().map(|it| it.shape().tiles() as u32).collect();
    for ((cb, input), pages) in (0..).zip(inputs).zip(&pages) {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(cb, "cb_in", input.format(), *pages));
    }
    for (cb, (format, tiles)) in (OUT..).zip(outputs) {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(cb, "cb_out", *format, *tiles as u32));
    }
    let (none, given) = (CompileTimeArgs::default(), pages.clone());
    builder.data_movement("reader", ORIGIN, DataMovementPlace::Reader, none.clone(), move |k| {
        for (cb, pages) in (0..).zip(&given) {
            k.cb_reserve_back(cb, *pages);
            k.cb_push_back(cb, *pages);
        }
    });
    builder.compute("compute", ORIGIN, unit.config(inputs), none, move |k| {
        k.compute_kernel_hw_startup(0, 0, OUT);
        (0..).zip(&pages).for_each(|(cb, pages)| k.cb_wait_front(cb, *pages));
        compute(k);
    });
    let built = builder.build(device.architecture(), device.l1_lowest()).expect("a program");
    let placed = built.placed_buffers(ORIGIN);
    let place = |id: u8| placed.iter().find(|it| it.id.0 == id).expect("it is placed");
    for (cb, input) in (0..).zip(inputs) {
        let tiles = input.convert(Layout::Tile, input.format()).expect("tiles");
        let core = device.machine_mut().core_mut(ORIGIN).expect("a core");
        let l1 = core.l1_mut().get_mut(place(cb).base, tiles.bytes().len()).expect("in L1");
        l1.copy_from_slice(tiles.bytes());
    }
    let outcome = built.run(&mut device, RunOptions::default(), &mut []).expect("it can run");
    if outcome.ending != Ending::Completed {
        return Err(format!("{:?}", outcome.ending));
    }
    let core = device.machine().core(ORIGIN).expect("a core");
    let bytes = |(cb, (format, tiles)): (u8, &Output)| {
        let bytes = core.l1().get(place(cb).base, tiles * format.tile_bytes());
        bytes.expect("in L1").to_vec()
    };
    Ok((OUT..).zip(outputs).map(bytes).collect())
}

/// What a kernel that calls one function leaves, or what the machine refuses.
pub fn run(unit: Unit, case: &Case, inputs: &[Tensor], to: DataFormat) -> Result<Tensor, String> {
    let shape = *inputs[0].shape();
    let formats: Vec<DataFormat> = inputs.iter().map(Tensor::format).collect();
    let (action, scalars) = (case.action(), case.patterns());
    let left = launch(unit, inputs, &[(to, shape.tiles())], move |k| {
        (0..shape.tiles() as u32).for_each(|tile| one(k, tile, &formats, action, &scalars));
    })?;
    Ok(Tensor::from_bytes(shape, Layout::Tile, to, left.concat()).expect("whole tiles"))
}

fn one(k: &Compute<'_>, tile: u32, formats: &[DataFormat], action: Action, scalars: &[u32]) {
    k.tile_regs_acquire();
    for (cb, format) in (0_u8..).zip(formats) {
        if cb > 0 && *format != formats[usize::from(cb) - 1] {
            k.reconfig_data_format_srca(cb);
        }
        k.copy_tile_init(cb);
        k.copy_tile(cb, tile, cb.into());
    }
    let operands: Vec<u32> = (0..formats.len() as u32).collect();
    match action {
        Action::Unary(op) => {
            k.unary_tile_init(op);
            k.unary_tile(op, 0);
        }
        Action::Binary(op) => {
            k.binary_tile_init(op);
            k.binary_tile(op, 0, 1, 0);
        }
        Action::Function(function) => {
            k.function_tile_init(function);
            k.function_tile(function, &operands, 0, scalars);
        }
    }
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.cb_reserve_back(OUT, 1);
    k.pack_tile(0, OUT);
    k.cb_push_back(OUT, 1);
    k.tile_regs_release();
    if formats.first() != formats.last() {
        k.reconfig_data_format_srca(0);
    }
}
