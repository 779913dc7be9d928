//! Operations that are called while another one is initialised.

use tilewright_machine::{Event, EventKind, MathOperation, Setting, Site, VectorOperation};

use super::words;
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
    fn event(&mut self, event: &Event, found: &mut Found) {
        match event.kind {
            EventKind::Configured(setting) => self.configured(event, setting),
            EventKind::Unpacked { configured, called, .. } if configured != called => {
                let site = self.cores.at(event.processor.core).unpack;
                let names = [words::unpack(configured), words::unpack(called)];
                report(event, site, names, found);
            }
            EventKind::Computed { configured, called, .. } if !is_same(configured, called) => {
                let site = self.cores.at(event.processor.core).math;
                report(event, site, [words::math(configured), words::math(called)], found);
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
        let variant = if holds == Some(name) { " in another variant" } else { "" };
        let set = format!("{}{variant}", holds.unwrap_or("a function without constants"));
        report(event, held.map(|(_, site)| site), [set, name.to_owned()], found);
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

fn report(event: &Event, init: Option<Site>, [set, called]: [String; 2], found: &mut Found) {
    let (id, who) = (FindingId::WrongInit, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        let (name, core) = (who.processor, who.core);
        let mut marks: Vec<Mark> = Vec::new();
        marks.extend(init.map(|site| mark(site, format!("{name} is initialised for {set}"))));
        marks.push(mark(event.site, format!("{name} is called for {called}")));
        let proof = match init {
            Some(_) => format!("proof: nothing has initialised {name} between (1) and (2)"),
            None => format!("proof: no init in this run has loaded what {called} needs"),
        };
        Finding {
            id,
            verdict: id.verdict(),
            title: format!("{name} on core {core} runs {set}, called for {called}"),
            marks,
            facts: vec![proof, format!("cycle {}", event.cycle)],
            help: Some("call the operation's own init right before it".to_owned()),
            count: 1,
            consequences: Vec::new(),
        }
    });
}
