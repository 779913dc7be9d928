//! What the names of references stand for: our operations, and the formulas of tt-metal's kernels.

use std::fmt::Write as _;

use tilewright_manifest::{self as manifest, Asked, References, Signature};
use tilewright_metal::{Device, Family, Wanted};
use tilewright_ops::formulas::{Formula, formulas};
use tilewright_ops::{Choice, ForeignKernel, Request, find, operations};

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
            (None, None) => return Err(format!("there is no operation `{}`", asked.name)),
        };
        wanted.map_err(|error| error.to_string())
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
