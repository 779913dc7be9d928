//! A chip and a program under construction, for tests that are a few kernels each.
//!
//! Suites of several crates have this file as a module: of `machine`, `metal` and `check`.

#![allow(dead_code, reason = "each suite uses a part of it")]

use std::sync::{Arc, Mutex};

use tilewright_machine::{
    Ending, Event, EventKind, L1Address, NocAddress, NocMode, Observer, Outcome, RunOptions, Stop,
    StopReason,
};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, CoreSet, DataMovementPlace, Device, Program,
    ProgramBuilder,
};
use tilewright_tile::DataFormat;

/// A place in L1 that no buffer takes.
pub const SCRATCH: L1Address = L1Address(0x8_0000);

/// The first core.
pub const ORIGIN: CoreCoord = CoreCoord::new(0, 0);

/// The place of `offset` bytes behind the scratch address on a core.
pub fn scratch_of(core: CoreCoord, offset: u32) -> NocAddress {
    NocAddress::L1 { core, address: SCRATCH + offset }
}

/// Options with a seed.
pub fn seed(seed: u64) -> RunOptions {
    RunOptions { seed, ..RunOptions::default() }
}

/// Options under which data lands as late as barriers allow.
pub fn late(seed: u64) -> RunOptions {
    RunOptions { seed, noc: NocMode::Late, ..RunOptions::default() }
}

/// What kernels tell the test, in the order in which they say it.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<u32>>>);

impl Notes {
    pub fn say(&self, word: u32) {
        self.0.lock().expect("no kernel panics while it speaks").push(word);
    }

    pub fn said(&self) -> Vec<u32> {
        self.0.lock().expect("no kernel panics while it speaks").clone()
    }
}

/// Keeps every event.
#[derive(Default)]
pub struct Log(pub Vec<Event>);

impl Observer for Log {
    fn event(&mut self, event: &Event) {
        self.0.push(*event);
    }
}

impl Log {
    /// The place of the first event that fits; says so if there is none.
    #[track_caller]
    pub fn first(&self, what: &str, fits: impl Fn(&EventKind) -> bool) -> usize {
        let found = self.0.iter().position(|event| fits(&event.kind));
        found.unwrap_or_else(|| panic!("no event: {what}"))
    }

    /// How many events fit.
    pub fn count(&self, fits: impl Fn(&EventKind) -> bool) -> usize {
        self.0.iter().filter(|event| fits(&event.kind)).count()
    }
}

/// A chip and the program that the test is writing.
pub struct Rig {
    pub device: Device,
    pub builder: ProgramBuilder,
}

impl Rig {
    pub fn new() -> Rig {
        Rig::on(Device::n150())
    }

    /// A rig on a device that the test has put something on.
    pub fn on(device: Device) -> Rig {
        Rig { device, builder: Program::builder("small") }
    }

    #[track_caller]
    pub fn reader(
        &mut self,
        cores: impl Into<CoreSet>,
        kernel: impl Fn(&DataMovement<'_>) + Send + Sync + 'static,
    ) {
        self.movement("reader", cores.into(), DataMovementPlace::Reader, Box::new(kernel));
    }

    #[track_caller]
    pub fn writer(
        &mut self,
        cores: impl Into<CoreSet>,
        kernel: impl Fn(&DataMovement<'_>) + Send + Sync + 'static,
    ) {
        self.movement("writer", cores.into(), DataMovementPlace::Writer, Box::new(kernel));
    }

    #[track_caller]
    pub fn compute(
        &mut self,
        cores: impl Into<CoreSet>,
        config: ComputeConfig,
        kernel: impl Fn(&Compute<'_>) + Send + Sync + 'static,
    ) {
        self.computing(cores.into(), config, Box::new(kernel));
    }

    /// A kernel in a box, so that this is compiled once and not for each kernel.
    #[track_caller]
    fn movement(
        &mut self,
        name: &str,
        cores: CoreSet,
        place: DataMovementPlace,
        kernel: Box<dyn Fn(&DataMovement<'_>) + Send + Sync>,
    ) {
        self.builder.data_movement(name, cores, place, CompileTimeArgs::default(), kernel);
    }

    #[track_caller]
    fn computing(
        &mut self,
        cores: CoreSet,
        config: ComputeConfig,
        kernel: Box<dyn Fn(&Compute<'_>) + Send + Sync>,
    ) {
        self.builder.compute("compute", cores, config, CompileTimeArgs::default(), kernel);
    }

    /// The three kernels of each core, with a Dst as it is by default.
    #[track_caller]
    pub fn kernels(
        &mut self,
        cores: impl Into<CoreSet>,
        reader: impl Fn(&DataMovement<'_>) + Send + Sync + 'static,
        compute: impl Fn(&Compute<'_>) + Send + Sync + 'static,
        writer: impl Fn(&DataMovement<'_>) + Send + Sync + 'static,
    ) {
        let cores = cores.into();
        self.reader(&cores, reader);
        self.compute(&cores, ComputeConfig::default(), compute);
        self.writer(&cores, writer);
    }

    /// A ring of bfloat16 tiles.
    #[track_caller]
    pub fn tiles(&mut self, cores: impl Into<CoreSet>, id: u8, pages: u32) {
        let spec = CbSpec::tiles(id, &format!("cb_{id}"), DataFormat::Bfloat16, pages);
        self.builder.circular_buffer(cores, spec);
    }

    /// Runs what has been written and begins another program on the same chip.
    pub fn run(&mut self, options: RunOptions) -> Outcome {
        self.observe(options, &mut [])
    }

    /// The same, and keeps the events.
    pub fn log(&mut self, options: RunOptions) -> (Outcome, Log) {
        let mut log = Log::default();
        let outcome = self.observe(options, &mut [&mut log]);
        (outcome, log)
    }

    fn observe(&mut self, options: RunOptions, watchers: &mut [&mut dyn Observer]) -> Outcome {
        self.build().run(&mut self.device, options, watchers).expect("stacks")
    }

    /// The program that has been written; another one begins.
    pub fn build(&mut self) -> Program {
        let builder = std::mem::replace(&mut self.builder, Program::builder("next"));
        let built = builder.build(self.device.architecture(), self.device.l1_lowest());
        built.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Fills scratch memory of a core.
    pub fn fill(&mut self, core: CoreCoord, offset: u32, bytes: u32, value: u8) {
        let core = self.device.machine_mut().core_mut(core).expect("in the grid");
        core.l1_mut().get_mut(SCRATCH + offset, bytes as usize).expect("in L1").fill(value);
    }

    /// Scratch memory of a core.
    pub fn bytes(&self, core: CoreCoord, offset: u32, bytes: u32) -> Vec<u8> {
        let core = self.device.machine().core(core).expect("in the grid");
        core.l1().get(SCRATCH + offset, bytes as usize).expect("in L1").to_vec()
    }

    /// A word of scratch memory.
    pub fn word(&self, core: CoreCoord, offset: u32) -> u32 {
        let core = self.device.machine().core(core).expect("in the grid");
        core.l1().word(SCRATCH + offset).expect("in L1")
    }
}

/// Fails unless every kernel returned.
#[track_caller]
pub fn completed(outcome: &Outcome) {
    assert_eq!(outcome.ending, Ending::Completed);
}

/// The stop that ended a run; fails if none did, or several.
#[track_caller]
pub fn the_stop(outcome: &Outcome) -> &Stop {
    match &outcome.ending {
        Ending::Stopped(stops) if stops.len() == 1 => &stops[0],
        ending => panic!("not one stop: {ending:?}"),
    }
}

/// Why the run ended.
#[track_caller]
pub fn reason(outcome: &Outcome) -> &StopReason {
    &the_stop(outcome).reason
}
