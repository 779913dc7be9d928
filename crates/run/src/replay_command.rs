//! The command line that makes a run again.

use tilewright_check::Tools;
use tilewright_metal::{Family, NocMode, RunOptions};
use tilewright_ops::Request as OperationRequest;
use tilewright_tile::DataFormat;

use crate::request::{Isolation, LaunchCommand, Request};
use crate::words::{dst_bits, noc_word, sync_word};

/// The command for one of our operations.
pub(crate) fn of_operation(
    asked: &Request,
    request: &OperationRequest,
    command: &str,
    seed: u64,
) -> String {
    let mut words =
        vec![format!("tilewright {command} {} --shape {}", asked.name(), request.shape)];
    let mut add = |is_usual: bool, word: String| {
        if !is_usual {
            words.push(word);
        }
    };
    let settings = &request.settings;
    let device = asked.device.as_deref();
    add(device.is_none(), format!("--device {}", device.unwrap_or_default()));
    add(request.format == DataFormat::Bfloat16, format!("--format {}", request.format));
    add(asked.dst.is_none(), format!("--dst {}", dst_bits(settings.width)));
    add(asked.sync.is_none(), format!("--sync {}", sync_word(settings.sync)));
    let fidelity = settings.fidelity.name().to_ascii_lowercase();
    add(asked.fidelity.is_none(), format!("--fidelity {fidelity}"));
    add(asked.cores.is_none(), format!("--cores {}", request.cores));
    add(asked.noc == NocMode::Timed, format!("--noc {}", noc_word(asked.noc)));
    add(request.family == Family::Uniform, format!("--input {}", request.family));
    add(request.data_seed == 0, format!("--data-seed {}", request.data_seed));
    add(asked.check == Tools::all(), format!("--check {}", asked.check));
    for id in &asked.allow {
        add(false, format!("--allow {id}"));
    }
    let budget = asked.step_budget;
    add(budget == RunOptions::USUAL.step_budget, format!("--step-budget {budget}"));
    for (name, value) in &request.choices {
        add(false, format!("--set {name}={value}"));
    }
    add(false, format!("--seed {seed}"));
    words.join(" ")
}

/// The command for a manifest.
pub(crate) fn of_manifest(
    asked: &Request,
    command: &str,
    (seed, compiled_by): (u64, &str),
) -> String {
    let mut words = vec![format!("tilewright {command} {}", quoted(asked.name()))];
    let mut add = |word: String| words.push(word);
    asked.device.iter().for_each(|device| add(format!("--device {device}")));
    asked.cores.iter().for_each(|cores| add(format!("--cores {cores}")));
    asked.input.iter().for_each(|family| add(format!("--input {family}")));
    if asked.data_seed != 0 {
        add(format!("--data-seed {}", asked.data_seed));
    }
    for (name, value) in &asked.set {
        add(format!("--set {}", quoted(&format!("{name}={value}"))));
    }
    words.extend(watched(asked));
    words.push(format!("--seed {seed} --compiled-by {compiled_by}"));
    words.join(" ")
}

impl From<&str> for LaunchCommand {
    /// A command as it is typed, which takes `--seed`.
    fn from(command: &str) -> LaunchCommand {
        LaunchCommand { before: vec![command.to_owned()], subject: Vec::new() }
    }
}

impl LaunchCommand {
    /// The command with options of its own, such as `tilewright exec -I include`, the request that
    /// every launch is run with, and what is run, with arguments.
    pub fn new(command: &[String], asked: &Request, subject: &[String]) -> LaunchCommand {
        let mut before: Vec<String> = command.iter().map(|word| quoted(word)).collect();
        before.extend(asked.device.iter().map(|device| format!("--device {device}")));
        before.extend(watched(asked));
        if let Some(cxx) = &asked.cxx {
            before.push(format!("--cxx {}", quoted(&cxx.display().to_string())));
        }
        if asked.isolation == Isolation::Worker {
            before.push("--no-sandbox".to_owned());
        }
        let mut words: Vec<String> = subject.iter().map(|word| quoted(word)).collect();
        if subject.iter().any(|word| word.starts_with('-')) {
            words.insert(0, "--".to_owned());
        }
        LaunchCommand { before, subject: words }
    }

    /// The command that makes the run with a seed again.
    pub fn replay(&self, seed: u64) -> String {
        let seed = format!("--seed {seed}");
        let words = self.before.iter().chain([&seed]).chain(&self.subject);
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// How a run is watched and when transfers land, where that is not as usual.
fn watched(asked: &Request) -> Vec<String> {
    let mut words = Vec::new();
    if asked.check != Tools::all() {
        words.push(format!("--check {}", asked.check));
    }
    if asked.noc != NocMode::Timed {
        words.push(format!("--noc {}", noc_word(asked.noc)));
    }
    words.extend(asked.allow.iter().map(|id| format!("--allow {id}")));
    if asked.step_budget != RunOptions::USUAL.step_budget {
        words.push(format!("--step-budget {}", asked.step_budget));
    }
    words
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-./=,:@%+".contains(it);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_before_what_a_command_runs_and_words_are_quoted() {
        let words = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let request = Request {
            noc: NocMode::Late,
            isolation: Isolation::Worker,
            device: Some("p150".to_owned()),
            ..Request::new("host program")
        };
        let command = words(&["tilewright", "exec", "-I", "my headers"]);
        let command = LaunchCommand::new(&command, &request, &words(&["it's.cpp", "8", "--fast"]));
        assert_eq!(
            command.replay(7),
            "tilewright exec -I 'my headers' --device p150 --noc late --no-sandbox --seed 7 -- \
             'it'\\''s.cpp' 8 --fast"
        );
    }
}
