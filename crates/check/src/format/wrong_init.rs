//! Operations that are called while another one is initialised.

use tilewright_machine::{Event, EventKind, MathOperation, Setting, Site, VectorOperation};

use super::words;
use crate::class::Class;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};

manual! {
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
        cores: PerCore<Core>,
    }
}

/// Where each part was initialised last.
#[derive(Default)]
struct Core {
    unpack: Option<Site>,
    math: Option<Site>,
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
            EventKind::Unpacked { configured, called, .. } if configured != called => {
                let site = self.cores.at(event.processor.core).unpack;
                let [set, asked] = [configured, called].map(words::unpack);
                report(event, of_call(event, site, &set, &asked), found);
            }
            EventKind::Computed { configured, called, .. } if !is_same(configured, called) => {
                let site = self.cores.at(event.processor.core).math;
                let [set, asked] = [configured, called].map(words::math);
                report(event, of_call(event, site, &set, &asked), found);
            }
            EventKind::Vectored { operation, .. } => self.vectored(event, operation, found),
            _ => {}
        }
    }
}

impl WrongInit {
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
            | Setting::Mask
            | Setting::Accumulate => {}
        }
    }

    fn vectored(&mut self, event: &Event, called: VectorOperation, found: &mut Found) {
        let Some(name) = words::constants(called) else { return };
        let held = self.cores.at(event.processor.core).vector;
        if held.is_some_and(|(held, _)| held == called) {
            return;
        }
        let holds = held.and_then(|(held, _)| words::constants(held));
        let constants = match holds {
            Some(held) if held == name => format!("the constants of another variant of {held}"),
            Some(held) => format!("the constants of {held}"),
            None => "no constants".to_owned(),
        };
        let told = Told {
            title: format!("runs {name} with {constants}"),
            init: held.map(|(_, site)| (site, format!("the vector unit gets {constants}"))),
            call: format!("{name} needs its own"),
            proof: format!("the init of {name} has not been the last to load constants"),
        };
        report(event, told, found);
    }
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
struct Told {
    title: String,
    init: Option<(Site, String)>,
    call: String,
    proof: String,
}

/// A call of unpack or math.
fn of_call(event: &Event, init: Option<Site>, set: &str, called: &str) -> Told {
    let name = event.processor.processor;
    Told {
        title: format!("runs {set}, called for {called}"),
        init: init.map(|site| (site, format!("{name} is initialised for {set}"))),
        call: format!("{name} is called for {called}"),
        proof: format!("nothing has initialised {name} between (1) and (2)"),
    }
}

fn report(event: &Event, told: Told, found: &mut Found) {
    let (id, who) = (FindingId::WrongInit, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        let mut marks: Vec<Mark> = Vec::new();
        marks.extend(told.init.map(|(site, role)| mark(site, role)));
        marks.push(mark(event.site, told.call));
        Finding {
            title: format!("{} on core {} {}", who.processor, who.core, told.title),
            marks,
            facts: vec![format!("proof: {}", told.proof), format!("cycle {}", event.cycle)],
            help: Some("call the operation's own init right before it".to_owned()),
            ..Finding::of(id)
        }
    });
}
