//! What the names of references stand for: our operations, and the formulas of tt-metal's kernels.

use std::fmt::Write as _;

use tilewright_manifest::{self as manifest, Asked, References, Signature};
use tilewright_metal::{Device, Expected, Family, Given, Program, Roles, Tensor, Wanted, nearest};
use tilewright_ops::formulas::{Formula, formulas};
use tilewright_ops::{Choice, ForeignKernel, Request, find, operations};

use crate::request::{Described, Reference};

/// Every operation and formula, by name.
pub struct Catalogue;

impl References for Catalogue {
    fn names(&self) -> Vec<&'static str> {
        let ours = operations().iter().map(|operation| operation.name());
        ours.chain(formulas().map(|formula| formula.name)).collect()
    }

    fn signature(&self, name: &str) -> Option<Signature> {
        let (roles, choices) = match find(name) {
            Some(operation) => (operation.roles(), operation.choices()),
            None => formula(name).map(|formula| (formula.roles, formula.choices))?,
        };
        Some(Signature { roles, choices: choices.iter().map(|choice| choice.name).collect() })
    }

    fn exact(&self, device: &Device, asked: Asked) -> Result<Vec<Wanted>, String> {
        let mut request = Request::new(asked.inputs[0].shape(), asked.format);
        // A file may hold any values: no rounding may be assumed to be random.
        request.family = asked.family.unwrap_or(Family::Special);
        (request.cores, request.settings) = (asked.cores, asked.config.settings);
        request.kernel = ForeignKernel {
            chip: device.architecture().chip,
            is_approximate: asked.config.math_approx_mode,
            unpacks_to_dst: !asked.config.unpack_to_dst.is_empty(),
            outputs: asked.outputs,
        };
        request.choices = asked.choices;
        let wanted = match (find(&asked.name), formula(&asked.name)) {
            (Some(operation), _) => operation.exact(device, &request, asked.inputs),
            (None, Some(formula)) => formula.exact(&request, asked.inputs),
            (None, None) => return Err(format!("unknown operation `{}`", asked.name)),
        };
        wanted.map_err(|error| error.to_string())
    }
}

/// What the outputs of a program as data must hold, or what is wrong with its reference.
pub(crate) fn expected(
    device: &Device,
    reference: &Reference,
    described: &Described,
    program: &Program,
) -> Result<Vec<Expected>, String> {
    let name = &reference.operation;
    let signature = Catalogue.signature(name).ok_or_else(|| unknown(name))?;
    let Roles { inputs, outputs } = signature.roles;
    known("choice", name, reference.choices.keys(), &signature.choices)?;
    known("input", name, reference.inputs.keys(), inputs)?;
    known("output", name, reference.outputs.keys(), outputs)?;
    let contents = |role: &&str| {
        let tensor = reference.inputs.get(*role);
        let tensor = tensor.ok_or_else(|| format!("{name}: unknown input `{role}`"))?;
        contents(described, tensor).map(|tensor| Given { tensor })
    };
    let given: Vec<Given> = inputs.iter().map(contents).collect::<Result<_, _>>()?;
    let placed = |role: &str| {
        let tensor = reference.outputs.get(role)?;
        program.declarations().tensors().find(|it| it.name == *tensor)
    };
    let config = program.cores().iter().find_map(|core| program.compute_config(core));
    let asked = Asked {
        name: name.clone(),
        choices: reference.choices.clone(),
        format: given[0].tensor.format(),
        inputs: given,
        family: None,
        outputs: outputs.iter().map(|role| Some(placed(role)?.tensor.format)).collect(),
        config: config.unwrap_or_default(),
        cores: program.cores().len() as u32,
    };
    let mut all = Vec::new();
    for wanted in Catalogue.exact(device, asked)? {
        let Some(output) = placed(wanted.name) else { continue };
        let (has, needs) = (output.tensor.shape, wanted.shape);
        if has.volume() != needs.volume() || has.width() != needs.width() {
            return Err(format!("`{}` has shape {has}; {name} gives {needs}", output.name));
        }
        // Names of outputs live as long as the process, as those of operations do.
        all.push(Expected::of(output.name.clone().leak(), output.tensor, wanted.values));
    }
    Ok(all)
}

/// What a tensor holds before the run.
fn contents(described: &Described, name: &str) -> Result<Tensor, String> {
    let tensor = described.description.tensors.iter().find(|it| it.name == name);
    let Some((tensor, bytes)) = tensor.zip(described.contents.get(name)) else {
        return Err(format!("nothing fills `{name}` before the run"));
    };
    let made = Tensor::from_bytes(tensor.shape, tensor.layout, tensor.format, bytes.clone());
    made.map_err(|error| format!("`{name}`: {error}"))
}

/// Refuses names that a reference does not have.
fn known<'a>(
    what: &str,
    name: &str,
    mut given: impl Iterator<Item = &'a String>,
    known: &[&str],
) -> Result<(), String> {
    match given.find(|it| !known.contains(&it.as_str())) {
        Some(it) if known.is_empty() => Err(format!("{name} has no {what} `{it}`; it has none")),
        Some(it) => Err(format!("{name} has no {what} `{it}`; known: {}", known.join(", "))),
        None => Ok(()),
    }
}

fn unknown(name: &str) -> String {
    match nearest(name, Catalogue.names()) {
        Some(near) => format!("unknown operation `{name}`; did you mean `{near}`?"),
        None => format!("unknown operation `{name}`"),
    }
}

fn formula(name: &str) -> Option<&'static Formula> {
    formulas().find(|formula| formula.name == name)
}

/// The reference page of manifests in Markdown, with the references that they may name.
pub fn manifest_page(example: &str) -> String {
    let page = manifest::page();
    let (first, rest) = page.split_once("\n## ").unwrap_or((&page, ""));
    let mut text = format!(
        "{first}\n## An example\n\nThis is `examples/eltwise/program.toml`: three C++ kernels that \
         add two tensors. `tilewright check examples/eltwise/program.toml` runs it.\n\n\
         <!-- include: ../../examples/eltwise/program.toml -->\n```toml\n{example}```\n\n## {rest}"
    );
    references(&mut text);
    text
}

/// The references that are no operations of ours, and what each lets a manifest choose.
fn references(text: &mut String) {
    text.push_str(
        "\n## References of tt-metal's kernels\n\nBesides the operations of `tilewright list`, a \
         reference's `operation` may be one of these. Values are exact; bounds follow the steps of \
         the named kernel. Tensors are bf16, and `target` holds whole numbers.\n\n\
         Those that begin with `sfpu` are for kernels that call the vector unit. `call` is the \
         call of the kernel, without its tiles and with its scalars as numbers: \
         `\"leaky_relu_tile(0.1)\"`, `\"where_tile<Float32>\"`, \
         `\"typecast_tile<Float32,Int32>\"`, \
         `\"exp_tile; add_unary_tile(1)\"`. Tensors have the formats that the call takes: bf16, \
         fp32, int32, uint32 or uint16. `second` and `third` may have one row, one column or one \
         value where `first` has more. How elements are judged is told in [numbers and \
         bounds](numerics.md#bounds).\n\n\
         | operation | inputs | outputs | what it is | choices |\n|---|---|---|---|---|\n",
    );
    for formula in formulas() {
        let choice = |choice: &Choice| {
            let values = choice.values.join(" or ");
            format!("`{}`: {values}. {}", choice.name, sentence(choice.about))
        };
        let choices: Vec<String> = formula.choices.iter().map(choice).collect();
        let (inputs, outputs) = (formula.roles.inputs.join(", "), formula.roles.outputs.join(", "));
        let (name, about, choices) = (formula.name, formula.about, choices.join(" "));
        let _ = writeln!(text, "| `{name}` | {inputs} | {outputs} | {about} | {choices} |");
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}
