//! The command line that makes a run again.

use tilewright_check::Tools;
use tilewright_metal::{Family, NocMode, RunOptions};
use tilewright_ops::Request as Asked;
use tilewright_tile::DataFormat;

use crate::request::Request;
use crate::words::{dst_bits, noc_word, sync_word};

/// The command for one of our operations.
pub(crate) fn of_operation(asked: &Request, request: &Asked, command: &str, seed: u64) -> String {
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
    let mut text = format!("tilewright {command} {}", asked.name());
    let mut add = |word: String| text.push_str(&format!(" {word}"));
    if let Some(device) = &asked.device {
        add(format!("--device {device}"));
    }
    if let Some(cores) = asked.cores {
        add(format!("--cores {cores}"));
    }
    if let Some(family) = asked.input {
        add(format!("--input {family}"));
    }
    if asked.data_seed != 0 {
        add(format!("--data-seed {}", asked.data_seed));
    }
    if asked.check != Tools::all() {
        add(format!("--check {}", asked.check));
    }
    if asked.noc != NocMode::Timed {
        add(format!("--noc {}", noc_word(asked.noc)));
    }
    for id in &asked.allow {
        add(format!("--allow {id}"));
    }
    for (name, value) in &asked.set {
        add(format!("--set {name}={value}"));
    }
    let budget = asked.step_budget;
    if budget != RunOptions::USUAL.step_budget {
        add(format!("--step-budget {budget}"));
    }
    add(format!("--seed {seed}"));
    add(format!("--compiled-by {compiled_by}"));
    text
}
