//! One of our operations as a request asks for it, checked before anything is allocated.

use tilewright_check::memory::l1_budget;
use tilewright_metal::{Architecture, HOST_BYTES_PER_VALUE, RunOptions, nearest};
use tilewright_ops::{Choice, OpError, Operation, Request as OperationRequest};

use crate::record::{self, Failure};
use crate::request::Request;
use crate::words::{dst_bits, noc_word, sync_word};
use crate::{memory, names};

pub(crate) fn operation(name: &str) -> Result<&'static dyn Operation, Failure> {
    let names = || tilewright_ops::operations().iter().map(|operation| operation.name());
    tilewright_ops::find(name).ok_or_else(|| {
        if let Some(failure) = names::not_a_manifest(name) {
            return failure;
        }
        let all: Vec<&str> = names().collect();
        let failure = Failure::new(format!("unknown operation `{name}`"));
        match nearest(name, names()) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure.help(format!("known: {}", all.join(", "))),
        }
    })
}

/// The request that the arguments make, checked as far as no operation need be asked.
pub(crate) fn request(
    asked: &Request,
    operation: &dyn Operation,
    arch: &Architecture,
) -> Result<OperationRequest, Failure> {
    let most = arch.cores() as u32;
    let mut request = OperationRequest::new(asked.shape_or_usual(), asked.format_or_usual());
    request.cores = asked.cores.unwrap_or(most);
    check_cores(request.cores, arch)?;
    let usual = operation.settings(asked.format_or_usual());
    request.settings.width = asked.dst.unwrap_or(usual.width);
    request.settings.sync = asked.sync.unwrap_or(usual.sync);
    request.settings.fidelity = asked.fidelity.unwrap_or(usual.fidelity);
    request.family = asked.family();
    check_given(asked, operation)?;
    request.given = asked.given.clone();
    request.epsilon = asked.epsilon;
    request.data_seed = asked.data_seed;
    for (name, value) in &asked.set {
        request.choices.insert(name.clone(), value.clone());
    }
    check_choices(&request, operation)?;
    check_size(asked, arch, operation.values_most(&request))?;
    Ok(request)
}

/// Values for an input that the operation lacks would go unnoticed.
fn check_given(asked: &Request, operation: &dyn Operation) -> Result<(), Failure> {
    let (name, roles) = (operation.name(), operation.roles());
    match asked.given.keys().find(|given| !roles.inputs.contains(&given.as_str())) {
        Some(unknown) => Err(Failure::new(format!("{name} has no input `{unknown}`"))
            .help(format!("its inputs are {}", roles.inputs.join(", ")))),
        None => Ok(()),
    }
}

/// A number of cores that the chip has.
pub(crate) fn check_cores(cores: u32, arch: &Architecture) -> Result<(), Failure> {
    let (most, name) = (arch.cores() as u32, arch.name);
    if (1..=most).contains(&cores) {
        return Ok(());
    }
    Err(Failure::new(format!("--cores {cores}: the {name} has {most} cores"))
        .help(format!("give a number from 1 to {most}")))
}

/// A tensor that cannot be held is refused before anything is allocated for it.
fn check_size(asked: &Request, arch: &Architecture, values_most: u64) -> Result<(), Failure> {
    let (shape, format) = (asked.shape_or_usual(), asked.format_or_usual());
    let tensor = shape.tiles() as u64 * format.tile_bytes() as u64;
    let dram = u64::from(arch.dram_banks) * arch.dram_bank_bytes;
    if tensor > dram {
        let name = arch.name;
        return Err(Failure::new(format!(
            "--shape {shape}: a {format} tensor of this shape takes {tensor} bytes; the DRAM of \
             the {name} has {dram}"
        ))
        .help("give a smaller shape"));
    }
    let needed = values_most.saturating_mul(HOST_BYTES_PER_VALUE);
    match memory::available_bytes() {
        Some(available) if needed > available => Err(Failure::new(format!(
            "--shape {shape}: running it takes about {} MiB of this computer's memory; {} are \
             available",
            needed >> 20,
            available >> 20
        ))
        .help("give smaller sizes")),
        Some(_) | None => Ok(()),
    }
}

/// A choice that the operation lacks would go unnoticed; values are the operation's to check.
fn check_choices(request: &OperationRequest, operation: &dyn Operation) -> Result<(), Failure> {
    let choices = operation.choices();
    for name in request.choices.keys() {
        if !choices.iter().any(|choice| choice.name == name) {
            let known: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
            let near = nearest(name, known.iter().copied());
            let failure =
                wrong(operation.name(), &OpError::NoSuchChoice { name: name.clone(), known });
            return Err(match near {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure,
            });
        }
    }
    Ok(())
}

/// What an operation says it cannot do.
pub(crate) fn wrong(name: &str, error: &OpError) -> Failure {
    let text = error.to_string();
    let failure =
        Failure::new(if text.starts_with(name) { text } else { format!("{name}: {text}") });
    let finding = match error {
        OpError::Program(error) => l1_budget(error),
        OpError::Invalid(_)
        | OpError::BadChoice { .. }
        | OpError::NoSuchChoice { .. }
        | OpError::Allocation(_)
        | OpError::Tensor(_)
        | OpError::Shape(_)
        | OpError::Split(_)
        | OpError::Host(_) => None,
    };
    match finding {
        Some(finding) => failure.finding(record::Finding::from(&finding)),
        None => failure,
    }
}

/// What was asked for, with every default filled in.
pub(crate) fn echo(
    operation: &dyn Operation,
    request: &OperationRequest,
    device: &str,
    options: RunOptions,
) -> record::Request {
    let chosen = |choice: &Choice| {
        let usual = choice.values.first().copied().unwrap_or_default();
        let value = request.choices.get(choice.name).map_or(usual, String::as_str);
        (choice.name.to_owned(), value.to_owned())
    };
    record::Request {
        operation: operation.name().to_owned(),
        device: device.to_owned(),
        shape: request.shape.to_string(),
        format: request.format.name().to_owned(),
        dst_bits: dst_bits(request.settings.width),
        dst_sync: sync_word(request.settings.sync).to_owned(),
        fidelity: request.settings.fidelity.name().to_owned(),
        cores: request.cores,
        threads: options.threads,
        noc: noc_word(options.noc).to_owned(),
        input: if request.given.is_empty() {
            request.family.to_string()
        } else {
            "given".to_owned()
        },
        data_seed: request.data_seed,
        choices: operation.choices().iter().map(chosen).collect(),
    }
}
