//! A deliberate fault in a run: one call, argument or setting that is not what the program says.
//!
//! Nothing is recompiled, so that thousands of faults can be tried ([`crate::grade`]).

use std::fmt;

use tilewright_machine::{Change, Edit};
use tilewright_metal::{ComputeSettings, Prepared, Program};

use crate::record::Failure;

/// One fault in one of a request's programs.
///
/// ```
/// use tilewright_run::prelude::*;
/// use tilewright_run::{Injection, Target};
///
/// let argument = Target::Argument { kernel: "reader".to_owned(), index: 1, by: -1 };
/// let fault = Injection { program: 0, target: argument };
/// let request = Request::new("softmax").shape("64x128".parse()?);
/// assert_ne!(request.inject(fault).run()?.verdict(), RunVerdict::Pass);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The number of the program, in the order in which they run.
    pub program: usize,
    /// What is changed in it.
    pub target: Target,
}

/// What a fault changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// What the calls of one source line do.
    Call(Edit),
    /// A runtime argument of a kernel, by so much on every core that has it.
    Argument {
        /// The kernel's name.
        kernel: String,
        /// The argument's position.
        index: usize,
        /// What is added; an argument does not go below zero.
        by: i32,
    },
    /// What compute kernels are configured with.
    Settings(ComputeSettings),
}

impl Injection {
    /// Changes the programs as far as the fault is theirs.
    pub(crate) fn apply(&self, prepared: &mut Prepared) -> Result<(), Failure> {
        let programs = prepared.programs.len();
        let Some(program) = prepared.programs.get_mut(self.program) else {
            let what = format!("injected fault: there is no program {}", self.program);
            return Err(Failure::new(what).help(format!("there are {programs}, from 0 on")));
        };
        if let Some(changed) = self.changed(program) {
            *program = changed;
        }
        Ok(())
    }

    /// The program with the fault, unless the fault is in a call.
    pub fn changed(&self, program: &Program) -> Option<Program> {
        match &self.target {
            Target::Call(_) => None,
            Target::Argument { kernel, index, by } => {
                let change = |value: u32| value.saturating_add_signed(*by);
                Some(program.with_runtime_arg(kernel, *index, change))
            }
            Target::Settings(settings) => Some(program.with_settings(|_| *settings)),
        }
    }

    /// The edit of a program's run.
    pub fn edit(&self, program: usize) -> Option<Edit> {
        match &self.target {
            Target::Call(edit) => Some(*edit).filter(|_| program == self.program),
            Target::Argument { .. } | Target::Settings(_) => None,
        }
    }
}

impl Injection {
    /// What is changed, without its place.
    pub(crate) fn change_text(&self) -> String {
        match &self.target {
            Target::Call(edit) => change_text(edit.change),
            Target::Argument { kernel, index, by } => {
                format!("argument {index} of {kernel} {by:+}")
            }
            Target::Settings(settings) => {
                let bits = crate::words::dst_bits(settings.width);
                format!("{} with a Dst of {bits} bits", settings.fidelity.name())
            }
        }
    }
}

impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.change_text())?;
        match &self.target {
            Target::Call(edit) => write!(f, " at {}", edit.site),
            Target::Argument { .. } | Target::Settings(_) => Ok(()),
        }
    }
}

/// What a change does to a call, in words.
fn change_text(change: Change) -> String {
    match change {
        Change::Skip => "call left out".to_owned(),
        Change::SkipOne(number) => format!("call {number} left out"),
        Change::Repeat => "call made twice".to_owned(),
        Change::Pages(by) => format!("pages {by:+}"),
        Change::Dst(by) => format!("Dst index {by:+}"),
        Change::Tile(by) => format!("operand index {by:+}"),
        Change::Swap => "operands exchanged".to_owned(),
        Change::Spread(broadcast) => format!("broadcast {broadcast:?}").to_lowercase(),
        Change::Keep => "Dst not cleared".to_owned(),
        Change::Early(_) => "pushed before it is filled".to_owned(),
    }
}
