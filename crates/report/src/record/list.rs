//! The answer of `tilewright list`.

use schemars::JsonSchema;
use serde::Serialize;
use tilewright_ops::formulas::Formula;

/// What `tilewright run` can be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct List {
    /// Every operation.
    pub operations: Vec<Operation>,
    /// What `--input` takes.
    pub inputs: Vec<String>,
    /// What else a manifest's reference may name.
    pub references: Vec<Reference>,
}

/// A reference for kernels that are not ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reference {
    /// The name that manifests use.
    pub name: String,
    /// What it is, in a line.
    pub about: String,
    /// The roles of its inputs.
    pub inputs: Vec<String>,
    /// The roles of its outputs.
    pub outputs: Vec<String>,
    /// What a manifest's `choices` may say.
    pub choices: Vec<Choice>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Operation {
    /// The name that `tilewright run` takes.
    pub name: String,
    /// What it computes, in a line.
    pub about: String,
    /// What `--set` may choose.
    pub choices: Vec<Choice>,
}

/// Something that `--set name=value` chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// What it means.
    pub about: String,
    /// What it may be.
    pub values: Vec<String>,
    /// What it is if nothing is set.
    pub default: String,
}

impl List {
    /// The operations, inputs and references there are.
    pub fn new(
        operations: &[&dyn tilewright_ops::Operation],
        inputs: impl IntoIterator<Item = impl ToString>,
        references: impl IntoIterator<Item = &'static Formula>,
    ) -> List {
        List {
            operations: operations.iter().map(|operation| Operation::new(*operation)).collect(),
            inputs: inputs.into_iter().map(|input| input.to_string()).collect(),
            references: references.into_iter().map(Reference::new).collect(),
        }
    }
}

impl Reference {
    fn new(formula: &Formula) -> Reference {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Reference {
            name: formula.name.to_owned(),
            about: formula.about.to_owned(),
            inputs: words(formula.roles.inputs),
            outputs: words(formula.roles.outputs),
            choices: formula.choices.iter().map(Choice::new).collect(),
        }
    }
}

impl Choice {
    fn new(choice: &tilewright_ops::Choice) -> Choice {
        Choice {
            name: choice.name.to_owned(),
            about: choice.about.to_owned(),
            values: choice.values.iter().map(|value| (*value).to_owned()).collect(),
            default: choice.values.first().copied().unwrap_or_default().to_owned(),
        }
    }
}

impl Operation {
    fn new(operation: &dyn tilewright_ops::Operation) -> Operation {
        Operation {
            name: operation.name().to_owned(),
            about: operation.about().to_owned(),
            choices: operation.choices().iter().map(Choice::new).collect(),
        }
    }
}
