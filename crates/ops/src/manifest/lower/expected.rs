//! What must come out: an operation's exact results, or a file's values.

use std::collections::BTreeMap;
use std::path::Path;

use tilewright_metal::{ComputeConfig, Device, DeviceTensor};
use tilewright_tile::bound::Approx;

use super::kernels::no_such;
use super::tensors::{self, Filled};
use crate::family::Family;
use crate::formulas::{Formula, formulas};
use crate::manifest::at::At;
use crate::manifest::document::{Document, Expected as FileExpected, Named, Reference};
use crate::manifest::problem::{Problem, Problems};
use crate::manifest::scope::in_order;
use crate::nearest;
use crate::operation::{Choice, Expected, OpError, Operation, Request, find, operations};
use crate::reference::{Exact, Given, Roles, Wanted};

/// What is known of the tensors when outputs are judged.
pub(super) struct Known<'a> {
    pub(super) device: &'a Device,
    pub(super) document: &'a Document,
    pub(super) folder: &'a Path,
    pub(super) placed: &'a BTreeMap<String, DeviceTensor>,
    pub(super) filled: BTreeMap<String, Filled>,
}

/// Every output that is held against a file. One that a reference judges, too, goes by a name of
/// its own, so that neither judgement hides the other.
pub(super) fn by_files(
    known: &Known<'_>,
    referenced: &[Expected],
    problems: &mut Problems,
) -> Vec<Expected> {
    let all = in_order(&known.document.expected).into_iter();
    let judged = all.filter_map(|(key, expected)| {
        let mut judged = problems.keep(by_file(known, key, expected))?;
        if referenced.iter().any(|it| it.name == judged.name) {
            judged.name = kept(&format!("{}{}", judged.name, Expected::BY_FILE));
        }
        Some(judged)
    });
    judged.collect()
}

/// Every output that a program's reference judges. Bounds depend on the configuration of its
/// compute kernel, and on how many of its cores have work.
pub(super) fn by_reference(
    known: &Known<'_>,
    reference: &At<Reference>,
    (config, cores): (ComputeConfig, u32),
    problems: &mut Problems,
) -> Vec<Expected> {
    let mut outputs = Vec::new();
    let asked = &reference.value;
    let Some(source) = problems.keep(source(&asked.operation)) else { return outputs };
    let roles = source.roles();
    unknown_roles("input", &asked.inputs, roles.inputs, problems);
    unknown_roles("output", &asked.outputs, roles.outputs, problems);
    let inputs: Vec<_> = roles
        .inputs
        .iter()
        .filter_map(|role| problems.keep(input(known, reference, role)))
        .collect();
    if inputs.len() < roles.inputs.len() {
        return outputs;
    }
    let asked_for = request(known, source, reference, &inputs);
    let Some(mut request) = problems.keep(asked_for) else { return outputs };
    (request.cores, request.settings) = (cores, config.settings);
    let given = inputs.into_iter().map(|(given, _)| given).collect();
    let wanted = source.exact(known.device, &request, given);
    let wrong = |error: OpError| {
        let (name, text) = (source.name(), error.to_string());
        let text = if text.starts_with(name) { text } else { format!("{name}: {text}") };
        Problem::new(asked.operation.span.clone(), text)
    };
    for wanted in problems.keep(wanted.map_err(wrong)).into_iter().flatten() {
        let judged = asked.outputs.iter().find(|(role, _)| role.value == wanted.name);
        if let Some((_, tensor)) = judged {
            outputs.extend(problems.keep(output(known, asked, tensor, wanted)));
        }
    }
    outputs
}

/// What a reference's exact values and bounds come from.
#[derive(Clone, Copy)]
enum Source {
    /// One of our operations.
    Operation(&'static dyn Operation),
    /// The steps of a kernel of tt-metal.
    Formula(&'static Formula),
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Source::Operation(operation) => operation.name(),
            Source::Formula(formula) => formula.name,
        }
    }

    fn roles(self) -> Roles {
        match self {
            Source::Operation(operation) => operation.roles(),
            Source::Formula(formula) => formula.roles,
        }
    }

    fn choices(self) -> &'static [Choice] {
        match self {
            Source::Operation(operation) => operation.choices(),
            Source::Formula(formula) => formula.choices,
        }
    }

    fn exact(
        self,
        device: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError> {
        match self {
            Source::Operation(operation) => operation.exact(device, request, given),
            Source::Formula(formula) => formula.exact(request, given),
        }
    }
}

fn source(name: &At<String>) -> Result<Source, Problem> {
    let formula = || formulas().iter().find(|formula| formula.name == name.value);
    let found = find(&name.value).map(Source::Operation);
    found.or_else(|| formula().map(Source::Formula)).ok_or_else(|| {
        let message = format!("there is no operation `{}`", name.value);
        let problem = Problem::new(name.span.clone(), message);
        let names = || {
            let ours = operations().iter().map(|operation| operation.name());
            ours.chain(formulas().iter().map(|formula| formula.name))
        };
        match nearest(&name.value, names()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("there is {}", names().collect::<Vec<_>>().join(", "))),
        }
    })
}

fn unknown_roles(
    what: &str,
    given: &Named<At<String>>,
    known: &[&'static str],
    problems: &mut Problems,
) {
    for role in given.keys().filter(|role| !known.contains(&role.value.as_str())) {
        let message = format!("the operation has no {what} `{}`", role.value);
        let problem = Problem::new(role.span.clone(), message);
        problems.add(match nearest(&role.value, known.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("it has {}", known.join(", "))),
        });
    }
}

type Input<'a> = (Given, &'a At<String>);

/// The tensor that plays an input's role, and what it holds.
fn input<'a>(
    known: &Known<'_>,
    reference: &'a At<Reference>,
    role: &str,
) -> Result<Input<'a>, Problem> {
    let found = reference.value.inputs.iter().find(|(name, _)| name.value == role);
    let Some((_, tensor)) = found else {
        let message = format!("the reference has no input `{role}`");
        return Err(Problem::new(reference.span.clone(), message)
            .help(format!("say which tensor it is: inputs = {{ {role} = \"…\" }}")));
    };
    if !known.document.tensors.keys().any(|key| key.value == tensor.value) {
        return Err(no_such("tensor", tensor, known.document.tensors.keys()));
    }
    let held = known.filled.get(&tensor.value).zip(known.placed.get(&tensor.value));
    let Some((filled, placed)) = held else {
        let message = format!("nothing fills tensor `{}` before the run", tensor.value);
        return Err(Problem::new(tensor.span.clone(), message).help("give it `input` or `file`"));
    };
    Ok((Given { shape: placed.shape, values: filled.values.clone() }, tensor))
}

/// What the operation would be asked for, were it ours.
fn request(
    known: &Known<'_>,
    source: Source,
    reference: &At<Reference>,
    inputs: &[Input<'_>],
) -> Result<Request, Problem> {
    let (given, tensor) = &inputs[0];
    let mut request = Request::new(given.shape, known.placed[&tensor.value].format);
    // What a file holds is anything: no rounding may be taken to be random.
    let family = known.filled[&tensor.value].family;
    request.family = family.unwrap_or(Family::Special);
    for (name, value) in &reference.value.choices {
        request.choices.insert(name.clone(), value.clone());
    }
    let choices = source.choices();
    match request.choices.keys().find(|name| !choices.iter().any(|it| it.name == **name)) {
        None => Ok(request),
        Some(name) => {
            let names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
            let message = format!("{} has no choice `{name}`", source.name());
            Err(Problem::new(reference.span.clone(), message)
                .help(format!("there is {}", names.join(", "))))
        }
    }
}

fn output(
    known: &Known<'_>,
    asked: &Reference,
    tensor: &At<String>,
    wanted: Wanted,
) -> Result<Expected, Problem> {
    let placed = placed(known, tensor)?;
    let is_same = placed.shape.volume() == wanted.shape.volume()
        && placed.shape.width() == wanted.shape.width();
    if !is_same {
        let (name, shape) = (&tensor.value, placed.shape);
        let message = format!("tensor `{name}` has shape {shape}; the reference {}", wanted.shape);
        return Err(Problem::new(tensor.span.clone(), message));
    }
    let values = tolerant(wanted.values, asked.absolute, asked.relative);
    Ok(Expected { name: kept(&tensor.value), tensor: placed, reference: values, bits: None })
}

fn placed(known: &Known<'_>, tensor: &At<String>) -> Result<DeviceTensor, Problem> {
    let keys = known.document.tensors.keys();
    known.placed.get(&tensor.value).copied().ok_or_else(|| no_such("tensor", tensor, keys))
}

fn by_file(
    known: &Known<'_>,
    key: &At<String>,
    expected: &FileExpected,
) -> Result<Expected, Problem> {
    let tensor = placed(known, key)?;
    let file = tensors::load(known.folder, &expected.file, expected.file_tensor.as_deref())?;
    if file.shape().volume() != tensor.shape.volume()
        || file.shape().width() != tensor.shape.width()
    {
        let message = format!("the file has shape {}, not {}", file.shape(), tensor.shape);
        return Err(Problem::new(expected.file.span.clone(), message));
    }
    let values = file.to_f32();
    let is_by_bits = expected.absolute.is_none() && expected.relative.is_none();
    let bits = is_by_bits.then(|| values.clone());
    let exact =
        Box::new(move || values.iter().map(|value| Approx::exact(f64::from(*value))).collect());
    let reference = tolerant(exact, expected.absolute, expected.relative);
    Ok(Expected { name: kept(&key.value), tensor, reference, bits })
}

/// The exact values with a stated tolerance, if one is stated.
fn tolerant(exact: Exact, absolute: Option<f64>, relative: Option<f64>) -> Exact {
    if absolute.is_none() && relative.is_none() {
        return exact;
    }
    let (absolute, relative) = (absolute.unwrap_or(0.0), relative.unwrap_or(0.0));
    // A NaN or an infinity has no neighbourhood: it is held to its class, if that is known.
    let widened = move |x: &Approx| match x.value.is_finite() {
        true => Approx::new(x.value, absolute + relative * x.value.abs()),
        false => *x,
    };
    Box::new(move || exact().iter().map(widened).collect())
}

/// Names of outputs live as long as the process, as those of operations do.
fn kept(name: &str) -> &'static str {
    name.to_owned().leak()
}
