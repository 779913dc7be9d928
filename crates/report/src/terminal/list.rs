//! The operations, their choices and the inputs.

use super::{Paint, table};
use crate::record::{List, Operation};

/// What `tilewright list` shows.
pub fn list(list: &List, paint: Paint) -> String {
    let row = |operation: &Operation| vec![operation.name.clone(), operation.about.clone()];
    let rows: Vec<Vec<String>> = list.operations.iter().map(row).collect();
    let mut text = table(&["operation", "what it computes"], &rows, &[]);
    let choices: Vec<Vec<String>> = list.operations.iter().flat_map(choices).collect();
    if !choices.is_empty() {
        let head = ["operation", "--set", "what it means"];
        text += &format!("\n{}", table(&head, &choices, &[]));
    }
    let inputs = list.inputs.join(", ");
    text += &format!("\n {} {inputs}\n", paint.strong("--input"));
    text += &format!(
        " {}\n",
        paint.dim("the first value is the default; run one with `tilewright run NAME`")
    );
    text
}

fn choices(operation: &Operation) -> Vec<Vec<String>> {
    let row = |choice: &crate::record::Choice| {
        let set = format!("{}={}", choice.name, choice.values.join("|"));
        vec![operation.name.clone(), set, choice.about.clone()]
    };
    operation.choices.iter().map(row).collect()
}
