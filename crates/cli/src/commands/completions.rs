//! `tilewright completions`: what a shell needs to complete commands.

use clap::CommandFactory;
use tilewright_report::json;
use tilewright_report::record;

use crate::args::{Arguments, Completions};
use crate::output::{Output, Status};

/// Prints the completions of a shell.
pub fn completions(asked: &Completions, output: &Output) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut Arguments::command(), "tilewright", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let answer = record::Completions { shell: asked.shell.to_string(), script };
    output.answer(|| json::text(&answer), |_| answer.script.clone(), Status::Clean)
}
