//! The command `tilewright` as a function: arguments in; text or JSON and an exit code out.
//!
//! Exit codes: 0 clean, 1 findings or values out of bound, 2 could not run. The binary calls it,
//! and so does the command that the Python package brings.

mod args;
mod commands;
mod output;
mod request;
mod typed;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use tilewright_report::record::Failure;

use args::{Arguments, Command};
use output::{Colours, Output};

/// Runs the command with these arguments, its own name first; gives the exit code.
pub fn command(arguments: Vec<OsString>) -> u8 {
    tilewright_run::catch_faults();
    let is_json = arguments.iter().skip(1).any(|argument| argument == "--json");
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&suggested(error), is_json),
    };
    let output = Output::new(arguments.command.is_json(), arguments.colours);
    output.prepare_for_exhaustion();
    output.attempt(|| run(&arguments.command, &output)).code() as u8
}

fn run(command: &Command, output: &Output) -> Result<output::Status, Failure> {
    match command {
        Command::Check(asked) => commands::check::check(asked, output),
        Command::Cache(asked) => commands::cache::cache(asked, output),
        Command::Capture(asked) => commands::capture::capture(asked, output),
        Command::Completions(asked) => Ok(commands::completions::completions(asked, output)),
        Command::Corpus(asked) => commands::corpus::corpus(asked, output),
        Command::Diff(asked) => commands::diff::diff(asked, output),
        Command::Doctor(_) => Ok(commands::doctor::doctor(output)),
        Command::Exec(asked) => commands::exec::exec(asked, output),
        Command::Explain(asked) => commands::explain::explain(asked, output),
        Command::Grade(asked) => commands::grade::grade(asked, output),
        Command::List(_) => Ok(commands::list::list(output)),
        Command::New(asked) => commands::new::new(asked, output),
        Command::Report(asked) => commands::report::report(asked, output),
        Command::Repro(asked) => commands::repro::repro(asked, output),
        Command::Replay(asked) => commands::replay::replay(asked, output),
        Command::Run(asked) => commands::run::run(asked, output),
        Command::Stages(asked) => commands::stages::stages(asked, output),
        Command::Sweep(asked) => commands::sweep::sweep(asked, output),
        Command::Trace(asked) => commands::trace::trace(asked, output),
        Command::Vectors(asked) => commands::vectors::vectors(asked, output),
        Command::Watch(asked) => commands::watch::watch(asked, output),
    }
}

/// A misspelt command with the one that was meant, where clap itself has none to suggest.
fn suggested(mut error: clap::Error) -> clap::Error {
    let asked = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(asked)) => asked.clone(),
        _ => return error,
    };
    let command = Arguments::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    if error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(name) = tilewright_metal::nearest(&asked, names)
    {
        let name = ContextValue::Strings(vec![name.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, name);
    }
    error
}

/// What clap will not take, and what it answers itself: help and version.
fn refuse(error: &clap::Error, is_json: bool) -> u8 {
    if error.use_stderr() && is_json {
        let status = Output::new(is_json, Colours::Auto).failure(&told(&error.to_string()));
        return status.code() as u8;
    }
    // A reader that has gone away needs no help.
    drop(error.print());
    if error.use_stderr() { output::Status::CouldNotRun.code() as u8 } else { 0 }
}

/// Clap's text as a failure: its first paragraph says what is wrong, its tips what to do.
fn told(text: &str) -> Failure {
    let (what, rest) = text.trim().split_once("\n\n").unwrap_or((text.trim(), ""));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let tips = rest.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    let tips: Vec<&str> = tips.collect();
    let failure = Failure::new(words(what.strip_prefix("error: ").unwrap_or(what)));
    if tips.is_empty() { failure } else { failure.help(tips.join("; ")) }
}
