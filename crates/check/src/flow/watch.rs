//! The checker that follows values, for the tools init and value together: one shadow for both.

use tilewright_machine::{Ending, Event, Outcome};
use tilewright_metal::Program;

use super::Flow;
use crate::class::Class;
use crate::session::{Checker, Found};
use crate::tool::{Tool, Tools};
use crate::{init, value};

/// The flow of a run and who judges it.
pub(crate) struct Watch {
    flow: Flow,
    init: Option<init::Init>,
    value: Option<value::Value>,
}

impl Watch {
    /// A watch for the tools asked for, if they need one.
    pub(crate) fn new(program: &Program, tools: &Tools) -> Option<Watch> {
        let init = tools.has(Tool::Init).then(init::Init::default);
        let value = tools.has(Tool::Value).then(|| value::Value::new(program));
        let is_needed = init.is_some() || value.is_some();
        is_needed.then(|| Watch { flow: Flow::new(program), init, value })
    }
}

impl Checker for Watch {
    fn classes(&self) -> &'static [Class] {
        &[
            Class::Ring,
            Class::Section,
            Class::PackSetting,
            Class::Unpack,
            Class::Matrix,
            Class::Vector,
            Class::Pack,
            Class::Network,
            Class::Word,
        ]
    }

    fn looks_at_zeros(&self) -> bool {
        true
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        if let Some(init) = &self.init {
            init.event(event, &mut self.flow, found);
        }
        if let Some(value) = &mut self.value {
            value.event(event, &mut self.flow);
        }
        self.flow.event(event, found.touched);
    }

    /// A run that did not complete has not made its outputs, and that is no second error.
    fn end(&mut self, _: &Program, outcome: &Outcome, found: &mut Found) {
        if outcome.ending != Ending::Completed {
            return;
        }
        let mut unwritten = Vec::new();
        if let Some(init) = &self.init {
            unwritten = init.end(&mut self.flow, found);
        }
        if let Some(value) = &mut self.value {
            value.end(&mut self.flow, &unwritten, found);
            found.written = self.flow.written();
        }
    }
}
