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
const OUT: u8 = 16;

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

/// What the kernel leaves, or what the machine refuses.
pub fn run(unit: Unit, case: &Case, inputs: &[Tensor], to: DataFormat) -> Result<Tensor, String> {
    let name = match unit.chip {
        Chip::Wormhole => "n150",
        Chip::Blackhole => "p150",
    };
    let mut device = Device::named(name).expect("it is known");
    let shape = *inputs[0].shape();
    let tiles = shape.tiles() as u32;
    let mut builder = Program::builder("vector function");
    let formats: Vec<DataFormat> = inputs.iter().map(Tensor::format).collect();
    for (cb, format) in (0..).zip(&formats) {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(cb, "cb_in", *format, tiles));
    }
    builder.circular_buffer(ORIGIN, CbSpec::tiles(OUT, "cb_out", to, tiles));
    let (buffers, none) = (inputs.len() as u8, CompileTimeArgs::default());
    builder.data_movement("reader", ORIGIN, DataMovementPlace::Reader, none.clone(), move |k| {
        for cb in 0..buffers {
            k.cb_reserve_back(cb, tiles);
            k.cb_push_back(cb, tiles);
        }
    });
    let (action, scalars) = (case.action(), case.patterns());
    builder.compute("compute", ORIGIN, unit.config(inputs), none, move |k| {
        k.compute_kernel_hw_startup(0, 0, OUT);
        (0..buffers).for_each(|cb| k.cb_wait_front(cb, tiles));
        (0..tiles).for_each(|tile| one(k, tile, &formats, action, &scalars));
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
    let bytes = core.l1().get(place(OUT).base, tiles as usize * to.tile_bytes()).expect("in L1");
    Ok(Tensor::from_bytes(shape, Layout::Tile, to, bytes.to_vec()).expect("whole tiles"))
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
