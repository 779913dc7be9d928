//! Operations that are called while another one is initialised.

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewright_machine::{
    CbId, Event, EventKind, MathOperation, Setting, Site, SourceId, UnpackOperation,
    VectorOperation,
};
use tilewright_tile::Transpose;

use super::{inits, words};
use crate::FindingId;
use crate::class::Class;
use crate::declaration::declare;
use crate::finding::{Finding, Mark, line_of};
use crate::of_class;
use crate::per_core::PerCore;
use crate::rings::Rings;
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// An operation that is called while unpack, math or the vector unit is initialised for
    /// another one.
    /// # Why it matters
    /// A call runs what the last init has programmed, whatever the call's name: `add_tiles` after
    /// `mul_init` multiplies. Of the vector unit only functions that load constants are looked at.
    /// What a call does not say, a matmul's transpose and an add's `acc_to_dest`, is not compared.
    /// # Instead
    /// Call the operation's own init before it, after any other init.
    pub struct WrongInit {
        rings: Arc<Rings>,
        cores: PerCore<LastInits>,
        /// Calls for which unpack is set wrong: what math is called for tells which init it needs.
        unpacks: BTreeSet<Site>,
    }
    Declaration { name: "wrong-init", tool: Some(Tool::Format), loses_values: true }
}

/// Where each part was initialised last.
#[derive(Default)]
struct LastInits {
    unpack: Option<Site>,
    math: Option<Site>,
    /// The buffers of the operands that were unpacked last.
    operands: [Option<CbId>; 2],
    /// The function whose constants the vector unit holds.
    vector: Option<(VectorOperation, Site)>,
}

impl Checker for WrongInit {
    fn classes(&self) -> &'static [Class] {
        &[Class::Operation, Class::Unpack, Class::Matrix, Class::Vector]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        match event.kind {
            EventKind::Configured(setting) => self.configured(event, setting),
            EventKind::Unpacked { configured, called, tiles, .. } => {
                let core = self.cores.at(event.processor.core);
                core.operands = tiles.map(|tile| tile.map(|tile| tile.cb));
                if configured != called && !is_copy_by_arguments(configured, called) {
                    let (site, names) = (core.unpack, self.names(event));
                    let [set, asked] = [configured, called].map(words::unpack);
                    let init = inits::unpack(called, [&names[0], &names[1]]);
                    self.unpacks.insert(event.site);
                    report(event, of_call(event, site, [&set, &asked], init), found);
                }
            }
            EventKind::Computed { configured, called, .. } => {
                if !is_same(configured, called) {
                    let (site, names) =
                        (self.cores.at(event.processor.core).math, self.names(event));
                    let [set, asked] = [configured, called].map(words::math);
                    let init = inits::math(called, [&names[0], &names[1]]);
                    report(event, of_call(event, site, [&set, &asked], init), found);
                }
                if !self.unpacks.is_empty() && self.unpacks.remove(&event.site) {
                    let names = self.names(event);
                    let init = inits::math(called, [&names[0], &names[1]]);
                    found.set_help(FindingId::WrongInit, event.site, help(&init, event.site));
                }
            }
            EventKind::Vectored { operation, .. } => self.vectored(event, operation, found),
            EventKind::Zeros { .. }
            | of_class!(Ring, Wait, Section, Pack, Network, Word, Kernel) => {}
        }
    }
}

impl WrongInit {
    pub(crate) fn new(rings: &Arc<Rings>) -> WrongInit {
        WrongInit { rings: Arc::clone(rings), ..WrongInit::default() }
    }

    /// What the buffers of the last operands are called.
    fn names(&mut self, event: &Event) -> [String; 2] {
        let core = event.processor.core;
        let name = |cb: CbId| self.rings.get(core, cb).map(|ring| ring.name.clone());
        self.cores.at(core).operands.map(|cb| cb.and_then(name).unwrap_or_default())
    }

    fn configured(&mut self, event: &Event, setting: Setting) {
        let core = self.cores.at(event.processor.core);
        match setting {
            Setting::Unpack(_) => core.unpack = Some(event.site),
            Setting::Math(_) => core.math = Some(event.site),
            Setting::Vector(operation) if words::constants(operation).is_some() => {
                core.vector = Some((operation, event.site));
            }
            Setting::Vector(_)
            | Setting::UnpackFormats(..)
            | Setting::AluFormat(..)
            | Setting::PackFormats(_)
            | Setting::Pack(_)
            | Setting::Relu
            | Setting::Mask(_)
            | Setting::Accumulate => {}
        }
    }

    fn vectored(&mut self, event: &Event, called: VectorOperation, found: &mut Found) {
        let Some(name) = words::constants(called) else { return };
        let held = self.cores.at(event.processor.core).vector;
        if held.is_some_and(|(held, _)| called.has_init_of(held)) {
            return;
        }
        let holds = held.and_then(|(held, _)| words::constants(held));
        let constants = match holds {
            Some(held) if held == name => format!("the constants of another variant of {held}"),
            Some(held) => format!("the constants of {held}"),
            None => "no constants".to_owned(),
        };
        let told = InitMistake {
            title: format!("runs {name} with {constants}"),
            earlier: held.map(|(_, site)| (site, format!("the vector unit gets {constants}"))),
            call: format!("{name} needs its own"),
            proof: format!("the init of {name} has not been the last to load constants"),
            init: called.declared().init_call.to_owned(),
        };
        report(event, told, found);
    }
}

/// Whether a copy does what arguments of its init ask for: no other init swaps the faces alone, or
/// transposes within them alone.
fn is_copy_by_arguments(configured: UnpackOperation, called: UnpackOperation) -> bool {
    let [set, asked] = [configured, called].map(|operation| match operation {
        UnpackOperation::One { to: SourceId::A, transpose } => Some(transpose),
        UnpackOperation::One { to: SourceId::B, .. }
        | UnpackOperation::Both
        | UnpackOperation::Tilize { .. } => None,
    });
    matches!(set, Some(Transpose::Faces | Transpose::Within)) && asked == Some(Transpose::None)
}

/// Whether the call is the operation that is configured, as far as a call says it.
fn is_same(configured: MathOperation, called: MathOperation) -> bool {
    match (configured, called) {
        (MathOperation::Matmul { .. }, MathOperation::Matmul { .. }) => true,
        (
            MathOperation::Elementwise { op, broadcast, reuse, .. },
            MathOperation::Elementwise {
                op: op_too,
                broadcast: broadcast_too,
                reuse: reuse_too,
                ..
            },
        ) => (op, broadcast, reuse) == (op_too, broadcast_too, reuse_too),
        _ => configured == called,
    }
}

/// What there is to say of one call.
struct InitMistake {
    title: String,
    earlier: Option<(Site, String)>,
    call: String,
    proof: String,
    /// The init that it needs.
    init: String,
}

/// A call of unpack or math.
fn of_call(event: &Event, at: Option<Site>, [set, called]: [&str; 2], init: String) -> InitMistake {
    let name = event.processor.processor;
    InitMistake {
        title: format!("runs {set}, called for {called}"),
        earlier: at.map(|site| (site, format!("{name} is initialised for {set}"))),
        call: format!("{name} is called for {called}"),
        proof: format!("nothing has initialised {name} between (1) and (2)"),
        init,
    }
}

fn help(init: &str, site: Site) -> String {
    format!("call `{init}` before {}", line_of(site))
}

fn report(event: &Event, told: InitMistake, found: &mut Found) {
    let (id, who) = (FindingId::WrongInit, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        let mut marks: Vec<Mark> = Vec::new();
        marks.extend(told.earlier.map(|(site, role)| mark(site, role)));
        marks.push(mark(event.site, told.call));
        Finding {
            title: format!("{} on core {} {}", who.processor, who.core, told.title),
            marks,
            facts: vec![format!("proof: {}", told.proof)],
            help: Some(help(&told.init, event.site)),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arguments_of_a_copys_init_transpose_faces_apart() {
        let one = |to, transpose| UnpackOperation::One { to, transpose };
        let copy = one(SourceId::A, Transpose::None);
        for (configured, called, is_meant) in [
            (one(SourceId::A, Transpose::Within), copy, true),
            (one(SourceId::A, Transpose::Faces), copy, true),
            (one(SourceId::A, Transpose::Whole), copy, false),
            (one(SourceId::A, Transpose::Within), one(SourceId::A, Transpose::Whole), false),
            (one(SourceId::A, Transpose::Within), UnpackOperation::Both, false),
            (UnpackOperation::Both, copy, false),
        ] {
            assert_eq!(is_copy_by_arguments(configured, called), is_meant, "{configured:?}");
        }
    }
}
