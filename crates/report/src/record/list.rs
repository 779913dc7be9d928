//! The answer of `tilewright list`.

use schemars::JsonSchema;
use serde::Serialize;

/// What `tilewright run` can be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct List {
    /// Every operation.
    pub operations: Vec<Operation>,
    /// What `--input` takes.
    pub inputs: Vec<String>,
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
    /// The operations and inputs there are.
    pub fn new(
        operations: &[&dyn tilewright_ops::Operation],
        inputs: impl IntoIterator<Item = impl ToString>,
    ) -> List {
        List {
            operations: operations.iter().map(|operation| Operation::new(*operation)).collect(),
            inputs: inputs.into_iter().map(|input| input.to_string()).collect(),
        }
    }
}

impl Operation {
    fn new(operation: &dyn tilewright_ops::Operation) -> Operation {
        let choice = |choice: &tilewright_ops::Choice| Choice {
            name: choice.name.to_owned(),
            about: choice.about.to_owned(),
            values: choice.values.iter().map(|value| (*value).to_owned()).collect(),
            default: choice.values.first().copied().unwrap_or_default().to_owned(),
        };
        Operation {
            name: operation.name().to_owned(),
            about: operation.about().to_owned(),
            choices: operation.choices().iter().map(choice).collect(),
        }
    }
}
