//! What the checkers are told of tensors: which are read, which are made, and what must be in them.

use tilewright_metal::ProgramBuilder;

use super::kernels::no_such;
use crate::manifest::Manifest;
use crate::manifest::at::At;
use crate::manifest::document::Tensor;
use crate::manifest::problem::{Problem, Problems};
use crate::manifest::scope::{Scope, in_order};
use crate::operation::Expected;

/// A buffer's index, and an input of which it must hold whole rows.
pub(super) type RowSum<'a> = (u8, &'a At<String>);

/// Looks up what tensors and buffers say that they hold.
pub(super) fn check<'a>(scope: &Scope<'a>, problems: &mut Problems) -> Vec<RowSum<'a>> {
    for (key, tensor) in in_order(&scope.document.tensors) {
        if let Some(first) = tensor.holds.keys().next().filter(|_| is_input(tensor)) {
            let message = format!("tensor `{}` is filled before the run", key.value);
            problems.add(Problem::new(first.span.clone(), message).help("outputs hold inputs"));
        }
        tensor.holds.keys().for_each(|input| {
            problems.keep(input_of(scope, input));
        });
    }
    let mut row_sums = Vec::new();
    for (_, buffer) in in_order(&scope.document.buffers) {
        for input in &buffer.row_sum_of {
            problems.keep(input_of(scope, input));
            // An index that is wrong has been told.
            let index = scope.number(&buffer.index).unwrap_or_default();
            row_sums.push((index as u8, input));
        }
    }
    row_sums
}

/// Tells the checkers which tensors are read, which are made, and what must be in them. One that
/// is neither filled nor judged, and says nothing, may be a place for anything.
pub(super) fn declare(
    builder: &mut ProgramBuilder,
    manifest: &Manifest,
    scope: &Scope<'_>,
    outputs: &[Expected],
) {
    for (key, tensor) in in_order(&scope.document.tensors) {
        let (name, site) = (key.value.as_str(), manifest.site(key.span.start));
        let placed = &scope.placed[name];
        let is_judged = outputs.iter().any(|output| output.name == name);
        if is_input(tensor) {
            builder.input_at(site, name, placed, tensor.padding.is_some());
        } else if is_judged || !tensor.holds.is_empty() {
            builder.output_at(site, name, placed);
        }
    }
    for (key, tensor) in in_order(&scope.document.tensors) {
        for (input, holds) in &tensor.holds {
            let reach = (holds.rows.into(), holds.columns.into());
            let site = manifest.site(input.span.start);
            builder.contributes_at(site, &key.value, &input.value, reach);
        }
    }
}

/// Tells the checkers which buffers must hold whole rows of inputs.
pub(super) fn declare_row_sums(
    builder: &mut ProgramBuilder,
    manifest: &Manifest,
    row_sums: Vec<RowSum<'_>>,
) {
    for (index, input) in row_sums {
        builder.row_sum_at(manifest.site(input.span.start), index, &input.value);
    }
}

fn is_input(tensor: &Tensor) -> bool {
    tensor.input.is_some() || tensor.file.is_some()
}

/// A tensor that is filled before the run.
fn input_of(scope: &Scope<'_>, input: &At<String>) -> Result<(), Problem> {
    let tensors = &scope.document.tensors;
    match tensors.iter().find(|(key, _)| key.value == input.value) {
        None => Err(no_such("tensor", input, tensors.keys())),
        Some((_, tensor)) if is_input(tensor) => Ok(()),
        Some(_) => {
            let message = format!("nothing fills tensor `{}` before the run", input.value);
            Err(Problem::new(input.span.clone(), message).help("give it `input` or `file`"))
        }
    }
}
