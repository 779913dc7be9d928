//! The faults that can be injected into a run, read off the events of the run without one.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::Discriminant;

use tilewright_check::of_class;
use tilewright_machine::{Change, Edit, MathOperation, Setting, VectorOperation};
use tilewright_metal::{
    ComputeSettings, Event, EventKind, Observer, Outcome, ProcessorId, Program, Site,
};
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::sfpu::Unary;
use tilewright_tile::{Broadcast, DstWidth, Fidelity};

use super::fault::{Cause, Fault, FaultClass};
use super::own::ListedFault;
use crate::injection::{Injection, Target};
use crate::outcome::{Seen, Witness};

/// A witness that collects the faults of each program.
#[derive(Default)]
pub struct Places {
    /// The faults so far.
    pub(crate) faults: Vec<Fault>,
    programs: usize,
    calls: BTreeMap<Site, Place>,
    /// Rings that compute fills.
    packed: BTreeSet<u8>,
    /// What is configured, by processor, kind of setting and register file.
    configured: BTreeMap<(ProcessorId, String), Setting>,
    others: Vec<Fault>,
}

/// What the calls of one line do.
#[derive(Default)]
struct Place {
    /// Calls by processor, for each kind of event.
    counts: BTreeMap<ProcessorId, Vec<(Discriminant<EventKind>, u64)>>,
    /// Rings that operands come from.
    unpacks: BTreeSet<u8>,
    has_two_operands: bool,
    math: Option<MathOperation>,
    vector: Option<VectorOperation>,
    packs: bool,
    releases: bool,
    pushes: Option<tilewright_machine::CbId>,
    waits: bool,
    passes_barrier: bool,
    transfers: bool,
    configures: bool,
    /// Whether a configuration was another one before.
    reconfigures: bool,
}

impl Observer for Places {
    fn event(&mut self, event: &Event) {
        if let EventKind::Packed { tile, .. } = event.kind {
            self.packed.insert(tile.cb.0);
        }
        let place = self.calls.entry(event.site).or_default();
        match event.kind {
            EventKind::Unpacked { tiles, .. } => {
                place.unpacks.extend(tiles.iter().flatten().map(|tile| tile.cb.0));
                place.has_two_operands |= tiles[0].is_some() && tiles[1].is_some();
            }
            EventKind::Computed { configured, .. } => place.math = Some(configured),
            EventKind::Vectored { operation, .. } => place.vector = Some(operation),
            EventKind::Packed { .. } => place.packs = true,
            EventKind::DstReleased => place.releases = true,
            EventKind::Pushed { cb, .. } => place.pushes = Some(cb),
            EventKind::Waited { .. }
            | EventKind::Reserved { .. }
            | EventKind::SemaphoreWaited { .. } => place.waits = true,
            EventKind::BarrierPassed { .. } => place.passes_barrier = true,
            EventKind::ReadIssued { .. } | EventKind::WriteIssued { .. } => place.transfers = true,
            EventKind::StartedUp => (place.configures, place.reconfigures) = (true, true),
            EventKind::Configured(setting) => {
                place.configures = true;
                let key = (event.processor, kind_of(setting));
                place.reconfigures |= self.configured.insert(key, setting) != Some(setting);
            }
            EventKind::Zeros { .. }
            | EventKind::StartupRepeated
            | EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | EventKind::Popped { .. }
            | EventKind::PointerMoved { .. }
            | EventKind::SemaphoreSet { .. }
            | EventKind::L1Read { .. }
            | EventKind::L1Written { .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | of_class!(Wait, Kernel) => return,
        }
        let kind = std::mem::discriminant(&event.kind);
        let counts = place.counts.entry(event.processor).or_default();
        match counts.iter_mut().find(|(counted, _)| *counted == kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((kind, 1)),
        }
    }
}

/// The part of the configuration that a setting sets.
fn kind_of(setting: Setting) -> String {
    let source = match setting {
        Setting::UnpackFormats(source, _) | Setting::AluFormat(source, _) => Some(source),
        Setting::Unpack(_)
        | Setting::Math(_)
        | Setting::Vector(_)
        | Setting::PackFormats(_)
        | Setting::Pack(_)
        | Setting::Relu
        | Setting::Mask(_)
        | Setting::Accumulate => None,
    };
    format!("{:?}{source:?}", std::mem::discriminant(&setting))
}

impl Witness for Places {
    fn begin(&mut self, program: &Program) {
        self.others = of_program(self.programs, program);
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self
    }

    fn end(&mut self, _: &Outcome) {
        let (program, packed) = (self.programs, std::mem::take(&mut self.packed));
        for (site, place) in std::mem::take(&mut self.calls) {
            let faults = place.faults(&packed).into_iter();
            self.faults.extend(faults.map(|(class, change, proof)| {
                let target = Target::Call(Edit { site, change });
                Fault { class, cause: Cause::Injected(Injection { program, target }), proof }
            }));
        }
        self.faults.append(&mut self.others);
        self.configured.clear();
        self.programs += 1;
    }

    fn testify(&mut self, _: &Seen<'_>) -> Vec<Vec<u8>> {
        vec![serde_json::to_vec(&self.listed()).expect("plain JSON")]
    }
}

impl Places {
    /// The faults so far, as data.
    pub fn listed(&self) -> Vec<ListedFault> {
        self.faults.iter().filter_map(ListedFault::of).collect()
    }
}

/// A kind of fault, the change that makes it, and why it can change nothing, if that is proven.
type Found = (FaultClass, Change, Option<&'static str>);

/// Nothing is proven.
const OPEN: Option<&str> = None;

impl Place {
    fn faults(&self, packed: &BTreeSet<u8>) -> Vec<Found> {
        let mut faults = Vec::new();
        self.of_tiles(&mut faults);
        self.of_math(packed, &mut faults);
        self.of_vector(&mut faults);
        if self.releases {
            faults.push((FaultClass::StaleAccumulation, Change::Keep, OPEN));
        }
        if let Some(cb) = self.pushes {
            faults.push((FaultClass::EarlyPush, Change::Early(cb), OPEN));
        }
        if self.waits {
            faults.push((FaultClass::MissingWait, Change::Skip, OPEN));
        }
        if self.passes_barrier {
            faults.push((FaultClass::LateBarrier, Change::Skip, OPEN));
        }
        // Lines that compute as well are changed as a whole.
        if self.configures && self.math.is_none() && self.vector.is_none() && !self.packs {
            let proof = (!self.reconfigures).then_some("it sets what is set already");
            faults.push((FaultClass::MissingInit, Change::Skip, proof));
        }
        faults
    }

    /// The first and the last call, where every processor makes one kind of call only.
    fn of_tiles(&self, faults: &mut Vec<Found>) {
        let is_tile = self.math.is_some() || self.vector.is_some() || self.packs || self.transfers;
        let is_plain = self.counts.values().all(|counts| counts.len() == 1);
        if !is_tile || !is_plain {
            return;
        }
        faults.push((FaultClass::DroppedTile, Change::SkipOne(0), OPEN));
        let counts = self.counts.values().flatten();
        let most = counts.map(|(_, count)| *count).max().unwrap_or(0);
        if most > 1 {
            faults.push((FaultClass::LostLastBlock, Change::SkipOne(most - 1), OPEN));
        }
        if self.packs {
            faults.push((FaultClass::WrongRegister, Change::Dst(1), OPEN));
        }
    }

    fn of_math(&self, packed: &BTreeSet<u8>, faults: &mut Vec<Found>) {
        let Some(math) = self.math else { return };
        faults.push((FaultClass::WrongRegister, Change::Dst(1), OPEN));
        if !self.unpacks.is_empty() {
            faults.push((FaultClass::WrongTile, Change::Tile(1), OPEN));
        }
        if self.has_two_operands {
            let proof = commutes(math).then_some("the operation is commutative");
            faults.push((FaultClass::SwappedOperands, Change::Swap, proof));
        }
        if math.accumulates() {
            faults.push((FaultClass::DoubledTile, Change::Repeat, OPEN));
        }
        if self.unpacks.iter().any(|cb| packed.contains(cb)) {
            faults.push((FaultClass::LostCarry, Change::Skip, OPEN));
        }
        let broadcasts = [Broadcast::None, Broadcast::Column, Broadcast::Row];
        let spread = |other: &Broadcast| (FaultClass::WrongBroadcast, Change::Spread(*other), OPEN);
        if let MathOperation::Elementwise { broadcast, .. }
        | MathOperation::Broadcast { broadcast, .. } = math
            && broadcast != Broadcast::None
        {
            faults.extend(broadcasts.iter().filter(|other| **other != broadcast).map(spread));
        }
    }

    fn of_vector(&self, faults: &mut Vec<Found>) {
        let Some(vector) = self.vector else { return };
        faults.push((FaultClass::WrongRegister, Change::Dst(1), OPEN));
        match vector {
            VectorOperation::Masked(_) => {
                faults.push((FaultClass::SkippedMask, Change::Skip, OPEN));
            }
            VectorOperation::Unary(Unary::Fill(_)) => {
                faults.push((FaultClass::StaleAccumulation, Change::Skip, OPEN));
            }
            VectorOperation::Binary(op) => {
                faults.push((FaultClass::DoubledTile, Change::Repeat, OPEN));
                let proof = op.commutes().then_some("the operation is commutative");
                faults.push((FaultClass::SwappedOperands, Change::Swap, proof));
            }
            VectorOperation::Unary(_)
            | VectorOperation::CopyValues
            | VectorOperation::Sum(_)
            | VectorOperation::Transpose
            | VectorOperation::Function(_)
            | VectorOperation::Code => {}
        }
    }
}

/// Whether exchanging tiles that are not spread changes nothing; NaNs aside.
fn commutes(math: MathOperation) -> bool {
    match math {
        MathOperation::Elementwise { op, broadcast, .. } => {
            broadcast == Broadcast::None && matches!(op, Elementwise::Add)
        }
        MathOperation::Copy
        | MathOperation::Move
        | MathOperation::Broadcast { .. }
        | MathOperation::Matmul { .. }
        | MathOperation::Reduce { .. } => false,
    }
}

/// Arguments that are one off, and one step of precision less.
fn of_program(number: usize, program: &Program) -> Vec<Fault> {
    let fault = |class, target| {
        let cause = Cause::Injected(Injection { program: number, target });
        Fault { class, cause, proof: None }
    };
    let mut faults = Vec::new();
    for (kernel, count) in program.runtime_arg_counts() {
        for (index, by) in (0..count).flat_map(|index| [(index, 1), (index, -1)]) {
            let target = Target::Argument { kernel: kernel.to_owned(), index, by };
            faults.push(fault(FaultClass::WrongShare, target));
        }
    }
    let configs = program.cores().iter().find_map(|core| program.compute_config(core));
    if let Some(config) = configs {
        let less = less_precise(config.settings).into_iter();
        faults.extend(less.map(|it| fault(FaultClass::LessPrecision, Target::Settings(it))));
    }
    faults
}

/// The settings with one step of precision less.
fn less_precise(settings: ComputeSettings) -> Vec<ComputeSettings> {
    let fidelity = match settings.fidelity {
        Fidelity::HiFi4 => Some(Fidelity::HiFi3),
        Fidelity::HiFi3 => Some(Fidelity::HiFi2),
        Fidelity::HiFi2 => Some(Fidelity::LoFi),
        Fidelity::LoFi => None,
    };
    let fidelity = fidelity.map(|fidelity| ComputeSettings { fidelity, ..settings });
    let width = match settings.width {
        DstWidth::Bits32 => Some(ComputeSettings { width: DstWidth::Bits16, ..settings }),
        DstWidth::Bits16 => None,
    };
    fidelity.into_iter().chain(width).collect()
}
