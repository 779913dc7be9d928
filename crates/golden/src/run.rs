//! A script on a machine of one core: inputs into L1, a run, results out of L1 and Dst.

use std::sync::Arc;

use tilewright_check::ending;
use tilewright_machine::{
    Architecture, CbId, CoreCoord, DstTile, Ending, L1Address, Outcome, RunOptions,
};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, DataMovementPlace, Device, Program,
};
use tilewright_tile::{Chip, Lanes};

use super::case::Refusal;
use super::kernel;
use super::script::{A, B, OUT, OUT32, Script, Side, T};

const CORE: CoreCoord = CoreCoord::new(0, 0);

/// A device after a script has run on it.
pub(super) struct Finished {
    device: Device,
    program: Program,
}

/// Runs a script on a fresh device with a chip's arithmetic.
pub(super) fn run(chip: Chip, script: Script) -> Result<Finished, Refusal> {
    let of_chip = Architecture::of_chip(chip);
    let arch = Architecture { grid_columns: 1, grid_rows: 1, ..of_chip };
    let mut device = Device::new(arch);
    let script = Arc::new(script);
    let program = program(&script, &device)?;
    check_formats(&script, &program)?;
    for buffer in &script.buffers {
        let at = base(&program, buffer.id);
        let core = device.machine_mut().core_mut(CORE).expect("the grid has one core");
        let room = core.l1_mut().get_mut(at, buffer.contents.len());
        room.expect("placed buffers lie in L1").copy_from_slice(&buffer.contents);
    }
    let outcome = program.run(&mut device, RunOptions::default(), &mut []);
    let outcome = outcome.map_err(|error| Refusal::new("", error))?;
    if outcome.ending != Ending::Completed {
        return Err(Refusal::new("", ended(&program, &outcome)));
    }
    Ok(Finished { device, program })
}

/// How a run that did not complete ended, in one line.
fn ended(program: &Program, outcome: &Outcome) -> String {
    let found = ending::findings(program, outcome);
    let lines = found.iter().map(|finding| {
        let roles: Vec<&str> = finding.marks.iter().map(|mark| mark.role.as_str()).collect();
        format!("{} ({})", finding.title, roles.join("; "))
    });
    lines.collect::<Vec<_>>().join("; ")
}

impl Finished {
    /// What the ring of a buffer holds; nothing if the script has no such buffer.
    pub(super) fn buffer(&self, id: u8) -> &[u8] {
        let placed = self.program.placed_buffers(CORE).iter().find(|buffer| buffer.id == CbId(id));
        let Some(placed) = placed else { return &[] };
        let core = self.device.machine().core(CORE).expect("the grid has one core");
        core.l1().get(placed.base, placed.bytes() as usize).expect("placed buffers lie in L1")
    }

    /// What the rings of all buffers of results hold, one after the other.
    pub(super) fn outputs(&self) -> Vec<u8> {
        (OUT..OUT + 4).flat_map(|id| self.buffer(id).iter().copied()).collect()
    }

    /// What a tile of the first section of Dst holds. Its release has cleared its flags and left
    /// its data.
    pub(super) fn dst(&self, tile: usize) -> Option<&Lanes> {
        let dst = self.device.machine().core(CORE).expect("the grid has one core").dst();
        (tile < dst.section_tiles()).then(|| dst.raw(DstTile(tile as u8)))
    }
}

fn program(script: &Arc<Script>, device: &Device) -> Result<Program, Refusal> {
    let mut builder = Program::builder("golden case");
    for buffer in &script.buffers {
        let spec = CbSpec::tiles(buffer.id, name(buffer.id), buffer.format, buffer.pages);
        builder.circular_buffer(CORE, spec);
    }
    let reader = Arc::clone(script);
    builder.data_movement(
        "reader",
        CORE,
        DataMovementPlace::Reader,
        CompileTimeArgs::default(),
        move |k| kernel::read(&reader, k),
    );
    let config = ComputeConfig {
        settings: script.settings,
        bfp8_pack_precise: script.bfp8_pack_precise,
        math_approx_mode: false,
        unpack_to_dst: script.to_dst.iter().copied().collect(),
    };
    let compute = Arc::clone(script);
    builder.compute("compute", CORE, config, CompileTimeArgs::default(), move |k| {
        kernel::compute(&compute, k);
    });
    let built = builder.build(device.architecture(), device.l1_lowest());
    built.map_err(|error| Refusal::new("", error))
}

fn name(buffer: u8) -> &'static str {
    match buffer {
        A => "A",
        B => "B",
        T => "T",
        OUT => "out",
        OUT32 => "out32",
        3 => "D",
        18 => "out3",
        19 => "out4",
        other => unreachable!("scripts have no buffer {other}"),
    }
}

/// The machine must be configured with the formats that the case was made with.
fn check_formats(script: &Script, program: &Program) -> Result<(), Refusal> {
    for expected in &script.formats {
        let formats = program.buffer_formats(CORE, CbId(expected.buffer));
        let (unpack, pack) = formats.expect("every expected format is of a placed buffer");
        let derived = match expected.side {
            Side::Register => unpack.register,
            Side::PackSource => pack.source,
        };
        if derived != expected.format {
            let why = format!("is {}, and {derived} is derived for it", expected.format);
            return Err(Refusal::new(expected.field, why));
        }
    }
    Ok(())
}

fn base(program: &Program, id: u8) -> L1Address {
    let placed = program.placed_buffers(CORE).iter().find(|buffer| buffer.id == CbId(id));
    placed.expect("every buffer of a script is placed").base
}
