//! What the checkers are told of tensors: which are read, which are made, and what must be in them.

use std::collections::BTreeSet;

use tilewright_metal::{Expected, OutputPadding, ProgramBuilder, TensorDeclaration};

use super::kernels::no_such;
use crate::Manifest;
use crate::at::At;
use crate::document::{Document, Tensor};
use crate::problem::{Problem, Problems};
use crate::scope::{Scope, in_order};
use crate::word::Padding;

/// A buffer's index, and an input of which it must hold whole rows.
pub(super) type RowSum<'a> = (u8, &'a At<String>);

/// Which program reads and makes which tensors, in the order of the programs.
pub(super) struct Uses {
    programs: Vec<Use>,
}

struct Use {
    program: String,
    inputs: BTreeSet<String>,
    outputs: BTreeSet<String>,
    /// Those outputs that only are some because nothing fills them.
    inferred: BTreeSet<String>,
}

impl Uses {
    /// A program alone reads all tensors that are filled and makes all others, unless they are
    /// scratch. Of several, each reads and makes those that its kernels are told of: what nothing
    /// fills, the first of them makes.
    pub(super) fn new<'a, 's: 'a>(
        scopes: impl Iterator<Item = (&'a str, &'a Scope<'s>)>,
        outputs: &[Expected],
    ) -> Uses {
        let scopes: Vec<(&str, &Scope<'_>)> = scopes.collect();
        let tensors = &scopes[0].1.document.tensors;
        let used: Vec<BTreeSet<String>> = scopes.iter().map(|(_, scope)| scope.used()).collect();
        let mut programs = Vec::new();
        for (number, (name, _)) in scopes.iter().enumerate() {
            let mut one = Use::of(name);
            for (key, tensor) in tensors {
                let name = &key.value;
                let is_used = |uses: &BTreeSet<String>| uses.contains(name);
                if used.len() > 1 && !is_used(&used[number]) {
                    continue;
                }
                let is_judged = outputs.iter().any(|output| output.name == name);
                if tensor.scratch && !is_judged {
                    continue;
                }
                let is_read_later = used[number + 1..].iter().any(is_used);
                if is_filled(tensor) || used[..number].iter().any(is_used) {
                    one.inputs.insert(name.clone());
                } else if is_judged || is_read_later || !tensor.holds.is_empty() {
                    one.outputs.insert(name.clone());
                } else if is_used(&used[number]) {
                    one.outputs.insert(name.clone());
                    one.inferred.insert(name.clone());
                }
            }
            programs.push(one);
        }
        Uses { programs }
    }

    /// Looks up what tensors and buffers say that they hold; gives the row sums of each program.
    pub(super) fn check<'a, 's: 'a>(
        &self,
        scopes: impl Iterator<Item = &'a Scope<'s>>,
        problems: &mut Problems,
    ) -> Vec<Vec<RowSum<'s>>> {
        let scopes: Vec<&Scope<'_>> = scopes.collect();
        let document = scopes[0].document;
        for (key, tensor) in in_order(&document.tensors) {
            if let Some(first) = tensor.holds.keys().next().filter(|_| is_filled(tensor)) {
                let message = format!("tensor `{}` is filled before the run", key.value);
                problems.add(Problem::new(first.span.clone(), message).help("outputs hold inputs"));
            }
            // One that no program makes is a problem of its name, reported below.
            let maker = self.programs.iter().position(|it| it.outputs.contains(&key.value));
            if maker.is_none() && !is_filled(tensor) && !tensor.holds.is_empty() {
                let message = format!("no program is told where tensor `{}` is", key.value);
                problems.add(Problem::new(key.span.clone(), message));
            }
            for input in tensor.holds.keys() {
                problems.keep(self.input_of(document, maker.unwrap_or(0), input));
            }
            problems.keep(self.padding(scopes[0], maker.unwrap_or(0), (key, tensor)));
        }
        let all = scopes.iter().enumerate();
        all.map(|(number, scope)| self.row_sums(scope, number, problems)).collect()
    }

    fn row_sums<'s>(
        &self,
        scope: &Scope<'s>,
        number: usize,
        problems: &mut Problems,
    ) -> Vec<RowSum<'s>> {
        let mut row_sums = Vec::new();
        for (_, buffer) in in_order(&scope.program.buffers) {
            for input in &buffer.row_sum_of {
                problems.keep(self.input_of(scope.document, number, input));
                // A wrong index has been reported.
                let index = scope.number(&buffer.index).unwrap_or_default();
                row_sums.push((index as u8, input));
            }
        }
        row_sums
    }

    /// A tensor that a program reads.
    fn input_of(
        &self,
        document: &Document,
        number: usize,
        input: &At<String>,
    ) -> Result<(), Problem> {
        let tensors = &document.tensors;
        let Some((_, tensor)) = tensors.iter().find(|(key, _)| key.value == input.value) else {
            return Err(no_such("tensor", input, tensors.keys()));
        };
        if self.programs[number].inputs.contains(&input.value) {
            return Ok(());
        }
        let name = &input.value;
        let problem = |message: String| Problem::new(input.span.clone(), message);
        let program = &self.programs[number].program;
        Err(if is_filled(tensor) {
            problem(format!("program `{program}` is not told where tensor `{name}` is"))
                .help("a kernel that reads it has its address or accessor as an argument")
        } else {
            problem(format!("nothing fills tensor `{name}` before the run"))
                .help("give it `input` or `file`")
        })
    }

    /// What an output of a program must hold in its padding.
    fn padding(
        &self,
        scope: &Scope<'_>,
        number: usize,
        (key, tensor): (&At<String>, &Tensor),
    ) -> Result<OutputPadding, Problem> {
        if is_filled(tensor) {
            let of = tensor.padding_of.as_ref();
            let message = "`padding_of` says which padding an output must have";
            return of.map_or(Ok(OutputPadding::Free), |of| {
                Err(Problem::new(of.span.clone(), message).help("this tensor is filled"))
            });
        }
        let Some(At { value, span }) = &tensor.padding else { return Ok(OutputPadding::Free) };
        let word = match value {
            Padding::Number(0.0) => "zero",
            Padding::Number(_) => "a number",
            Padding::Word(word) => word.as_str(),
        };
        match word {
            "zero" => Ok(OutputPadding::Zero),
            "free" => Ok(OutputPadding::Free),
            "unchanged" => self.unchanged(scope, number, (key, tensor)),
            other => Err(Problem::new(span.clone(), format!("`padding` of an output is {other}"))
                .help("it is \"zero\", \"unchanged\" or \"free\"")),
        }
    }

    /// The input whose padding an output must have: the one that is named, or that has its shape.
    fn unchanged(
        &self,
        scope: &Scope<'_>,
        number: usize,
        (key, tensor): (&At<String>, &Tensor),
    ) -> Result<OutputPadding, Problem> {
        let tensors = in_order(&scope.document.tensors).into_iter();
        let inputs = tensors.filter(|(key, _)| self.programs[number].inputs.contains(&key.value));
        let shape_of = |name: &str| scope.placed.get(name).map(|placed| placed.shape);
        let fits: Vec<(usize, &str)> = inputs
            .enumerate()
            .map(|(place, (key, _))| (place, key.value.as_str()))
            .filter(|(_, name)| shape_of(name) == shape_of(&key.value))
            .collect();
        let names: Vec<&str> = fits.iter().map(|(_, name)| *name).collect();
        match (&tensor.padding_of, fits.as_slice()) {
            (None, [(place, _)]) => Ok(OutputPadding::Unchanged(*place)),
            (None, _) => {
                let message = format!("of which input is the padding of `{}`?", key.value);
                Err(Problem::new(key.span.clone(), message).help(match names.as_slice() {
                    [] => "no input has its shape".to_owned(),
                    names => format!("say `padding_of`: {}", names.join(" or ")),
                }))
            }
            (Some(of), fits) => {
                let found = fits.iter().find(|(_, name)| *name == of.value);
                found.map(|(place, _)| OutputPadding::Unchanged(*place)).ok_or_else(|| {
                    let name = &of.value;
                    let message = format!("`{name}` is no input with the shape of `{}`", key.value);
                    Problem::new(of.span.clone(), message)
                })
            }
        }
    }

    /// Tells the checkers what a program reads and makes, and what must be in that.
    pub(super) fn declare(
        &self,
        builder: &mut ProgramBuilder,
        manifest: &Manifest,
        scope: &Scope<'_>,
        number: usize,
    ) {
        let Use { inputs, outputs, inferred, .. } = &self.programs[number];
        for (key, tensor) in in_order(&scope.document.tensors) {
            let (name, site) = (key.value.as_str(), manifest.site(key.span.start));
            let declared = TensorDeclaration::new(site, name, &scope.placed[name]);
            if inputs.contains(name) {
                let is_padding_used = tensor.uses_padding;
                builder.input_as(TensorDeclaration { is_padding_used, ..declared });
            } else if outputs.contains(name) {
                let padding = self.padding(scope, number, (key, tensor)).unwrap_or_default();
                let is_inferred = inferred.contains(name);
                builder.output_as(TensorDeclaration { padding, is_inferred, ..declared });
            } else {
                builder.other_as(declared);
            }
        }
        let made = in_order(&scope.document.tensors).into_iter();
        for (key, tensor) in made.filter(|(key, _)| outputs.contains(&key.value)) {
            for (input, holds) in &tensor.holds {
                let reach = (holds.rows.into(), holds.columns.into());
                let site = manifest.site(input.span.start);
                builder.contributes_at(site, &key.value, &input.value, reach);
            }
        }
    }
}

impl Use {
    /// A program that uses nothing yet.
    fn of(program: &str) -> Use {
        let none = BTreeSet::new;
        Use { program: program.to_owned(), inputs: none(), outputs: none(), inferred: none() }
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

/// Whether something fills it before the run.
fn is_filled(tensor: &Tensor) -> bool {
    tensor.input.is_some() || tensor.file.is_some()
}
