//! The operations, their choices, the inputs and the references.

use super::{Paint, table};
use crate::record::{List, Operation, Reference};

/// Columns of a list of words.
const COLUMNS: usize = 80;

/// What `tilewright list` shows.
pub fn list(list: &List, paint: Paint) -> String {
    let row = |operation: &Operation| vec![operation.name.clone(), operation.about.clone()];
    let rows: Vec<Vec<String>> = list.operations.iter().map(row).collect();
    let mut text = table(paint, &["operation", "what it computes"], &rows, &[]);
    let choices: Vec<Vec<String>> = list.operations.iter().flat_map(choices).collect();
    if !choices.is_empty() {
        let head = ["operation", "--set", "what it means"];
        text += &format!("\n{}", table(paint, &head, &choices, &[]));
    }
    text += &format!(
        "\n{}",
        table(paint, &["--input, what the inputs hold"], &lines(&list.inputs), &[])
    );
    let reference = |it: &Reference| {
        let roles = format!("{} -> {}", it.inputs.join(", "), it.outputs.join(", "));
        vec![it.name.clone(), roles, it.about.clone()]
    };
    let rows: Vec<Vec<String>> = list.references.iter().map(reference).collect();
    let head = ["reference, for manifests", "tensors", "what it is"];
    text += &format!("\n{}", table(paint, &head, &rows, &[]));
    let hint = "of several values the first is the default; run one with `tilewright run NAME`";
    text + &format!("\n {}\n", paint.dim(hint))
}

/// Words with commas between them, in rows that fit a screen.
fn lines(words: &[String]) -> Vec<Vec<String>> {
    let mut lines = vec![String::new()];
    for (index, word) in words.iter().enumerate() {
        let comma = if index + 1 < words.len() { ", " } else { "" };
        let last = lines.len() - 1;
        if lines[last].len() + word.len() > COLUMNS {
            lines.push(String::new());
        }
        let last = lines.len() - 1;
        lines[last] += &format!("{word}{comma}");
    }
    lines.into_iter().map(|line| vec![line]).collect()
}

fn choices(operation: &Operation) -> Vec<Vec<String>> {
    let row = |choice: &crate::record::Choice| {
        let set = format!("{}={}", choice.name, choice.values.join("|"));
        vec![operation.name.clone(), set, choice.about.clone()]
    };
    operation.choices.iter().map(row).collect()
}
