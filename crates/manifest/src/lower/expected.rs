//! What must come out: an operation's exact results, or a file's values.

use std::collections::BTreeMap;
use std::path::Path;

use tilewright_metal::{
    ComputeConfig, Device, DeviceTensor, Exact, Expected, Given, Tensor, Wanted, nearest,
};
use tilewright_tile::bound::Approx;

use super::filling::Filled;
use super::kernels::no_such;
use super::tensors;
use crate::at::At;
use crate::document::{Document, Expected as FileExpected, Named, Reference};
use crate::problem::{Problem, Problems};
use crate::reference::{Asked, References, Signature};
use crate::scope::in_order;

/// What is known of the tensors when outputs are judged.
pub(super) struct Known<'a> {
    pub(super) device: &'a Device,
    pub(super) references: &'a dyn References,
    pub(super) document: &'a Document,
    pub(super) folder: &'a Path,
    pub(super) placed: &'a BTreeMap<String, DeviceTensor>,
    pub(super) filled: BTreeMap<String, Filled>,
}

/// Every output that is compared with a file. One that a reference judges, too, goes by a name of
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
    let document = &reference.value;
    let found = signature(known.references, &document.operation);
    let Some(signature) = problems.keep(found) else { return outputs };
    let roles = signature.roles;
    unknown_roles("input", &document.inputs, roles.inputs, problems);
    unknown_roles("output", &document.outputs, roles.outputs, problems);
    let inputs: Vec<_> = roles
        .inputs
        .iter()
        .filter_map(|role| problems.keep(input(known, reference, role)))
        .collect();
    if inputs.len() < roles.inputs.len() {
        return outputs;
    }
    let asked = problems.keep(asked(known, &signature, reference, inputs));
    let Some(asked) = asked.filter(|_| problems.is_empty()) else { return outputs };
    let asked = Asked { cores, config, ..asked };
    let name = asked.name.clone();
    let wanted = known.references.exact(known.device, asked);
    let wrong = |text: String| {
        let text = if text.starts_with(&name) { text } else { format!("{name}: {text}") };
        Problem::new(document.operation.span.clone(), text)
    };
    for wanted in problems.keep(wanted.map_err(wrong)).into_iter().flatten() {
        let judged = document.outputs.iter().find(|(role, _)| role.value == wanted.name);
        if let Some((_, tensor)) = judged {
            outputs.extend(problems.keep(output(known, document, tensor, wanted)));
        }
    }
    outputs
}

fn signature(references: &dyn References, name: &At<String>) -> Result<Signature, Problem> {
    references.signature(&name.value).ok_or_else(|| {
        let message = format!("unknown operation `{}`", name.value);
        let problem = Problem::new(name.span.clone(), message);
        let names = references.names();
        match nearest(&name.value, names.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("known: {}", names.join(", "))),
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

/// What an input holds, unless something is wrong with the manifest, and its tensor.
type Input<'a> = (Option<Tensor>, &'a At<String>);

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
    let Some(filled) = known.filled.get(&tensor.value) else {
        let message = format!("nothing fills tensor `{}` before the run", tensor.value);
        return Err(Problem::new(tensor.span.clone(), message).help("give it `input` or `file`"));
    };
    Ok((filled.contents.clone(), tensor))
}

/// The reference with everything that its values and bounds depend on.
fn asked(
    known: &Known<'_>,
    signature: &Signature,
    reference: &At<Reference>,
    inputs: Vec<Input<'_>>,
) -> Result<Asked, Problem> {
    let (name, choices) = (&reference.value.operation.value, &reference.value.choices);
    if let Some(unknown) = choices.keys().find(|it| !signature.choices.contains(&it.as_str())) {
        let message = format!("{name} has no choice `{unknown}`");
        return Err(Problem::new(reference.span.clone(), message)
            .help(format!("known: {}", signature.choices.join(", "))));
    }
    let first = &inputs[0].1.value;
    let format_of = |role: &&str| {
        let found = reference.value.outputs.iter().find(|(name, _)| name.value == **role)?;
        Some(known.placed.get(&found.1.value)?.format)
    };
    let given = inputs.into_iter().filter_map(|(contents, _)| contents);
    Ok(Asked {
        name: name.clone(),
        choices: choices.clone(),
        format: known.placed[first].format,
        family: known.filled[first].family,
        inputs: given.map(|tensor| Given { tensor }).collect(),
        outputs: signature.roles.outputs.iter().map(format_of).collect(),
        config: ComputeConfig::default(),
        cores: 1,
    })
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
    Ok(Expected::of(kept(&tensor.value), placed, values))
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
    let all = move || -> Vec<Approx> {
        values.iter().map(|value| Approx::exact(f64::from(*value))).collect()
    };
    let exact = tolerant(Box::new(all), expected.absolute, expected.relative);
    Ok(Expected { bits, ..Expected::of(kept(&key.value), tensor, exact) })
}

/// The exact values with a stated tolerance, if one is stated.
fn tolerant(exact: Exact, absolute: Option<f64>, relative: Option<f64>) -> Exact {
    if absolute.is_none() && relative.is_none() {
        return exact;
    }
    let (absolute, relative) = (absolute.unwrap_or(0.0), relative.unwrap_or(0.0));
    // A NaN or an infinity has no neighbourhood: its class is compared, if that is known.
    let widened = move |x: &Approx| match x.value.is_finite() {
        true => Approx::new(x.value, absolute + relative * x.value.abs()),
        false => *x,
    };
    Box::new(move || -> Vec<Approx> { exact.all().iter().map(widened).collect() })
}

/// Names of outputs live as long as the process, as those of operations do.
fn kept(name: &str) -> &'static str {
    name.to_owned().leak()
}
