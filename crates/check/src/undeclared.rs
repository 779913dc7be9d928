//! What a program does not declare, so that no tool can check it.

use tilewright_metal::Program;

use crate::tool::{Tool, Tools};

/// A sentence for each thing that the tools asked for cannot check.
pub fn undeclared(program: &Program, tools: &Tools) -> Vec<String> {
    let (name, declared) = (program.name(), program.declarations());
    let mut notes = Vec::new();
    if tools.has(Tool::Init) && declared.outputs.is_empty() {
        notes.push(format!(
            "`{name}` declares no outputs: uninitialised data is not looked for in them"
        ));
    }
    if tools.has(Tool::Value) {
        let outputs = declared.outputs.iter().enumerate();
        let silent = outputs.filter(|(number, _)| {
            !declared.contributions.iter().any(|declared| declared.output == *number)
        });
        notes.extend(silent.map(|(_, output)| {
            let output = &output.name;
            format!("`{name}` does not declare what must be in `{output}`: it is not checked")
        }));
    }
    notes
}
