//! The names of Metal 2.0: `args::`, `dfb::`, `tensor::` and `sem::`, as text before a kernel.
//!
//! Where arguments lie is tt-metal's order (`tt_metal/impl/metal2_host_api`): among the common ones
//! first those with names, then the tensors' addresses. What the names do is the headers' business.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::kernels::{no_such, word};
use crate::at::At;
use crate::document::{Bindings, Kernel, Named};
use crate::names;
use crate::problem::{Problem, Problems};
use crate::scope::{Scope, in_order};
use crate::word::{Argument, Expression};

/// What a kernel's bindings add to it.
#[derive(Default)]
pub(super) struct Bound {
    /// The namespaces.
    pub(super) prelude: String,
    /// Words after its compile-time arguments.
    pub(super) compile_time: Vec<u32>,
    /// Words before its common arguments.
    pub(super) common: Vec<u32>,
}

/// The runtime arguments of a core in their order: those with names, then the others.
pub(super) fn runtime_args(kernel: &Kernel) -> Vec<At<Argument>> {
    let named = kernel.bindings.iter().flat_map(|bindings| in_order(&bindings.args));
    named.map(|(_, given)| given).chain(&kernel.args).cloned().collect()
}

/// The namespaces of a kernel that has `words` compile-time arguments of its own.
pub(super) fn bind(
    scope: &Scope<'_>,
    kernel: &Kernel,
    words: usize,
    problems: &mut Problems,
) -> Bound {
    let mut bound = Bound::default();
    let Some(bindings) = &kernel.bindings else { return bound };
    names_of_arguments(bindings, problems);
    arguments(scope, bindings, &mut bound, problems);
    buffers(scope, bindings, &mut bound, problems);
    tensors(scope, bindings, words, &mut bound, problems);
    semaphores(scope, bindings, &mut bound, problems);
    bound
}

/// The three kinds of arguments share a namespace.
fn names_of_arguments(bindings: &Bindings, problems: &mut Problems) {
    let mut seen = BTreeMap::new();
    let kinds = [
        ("args", bindings.args.keys().collect::<Vec<_>>()),
        ("common_args", bindings.common_args.keys().collect()),
        ("compile_time_args", bindings.compile_time_args.keys().collect()),
    ];
    for (kind, names) in kinds {
        for name in names {
            if let Some(other) = seen.insert(&name.value, kind) {
                let message = format!("`args::{}` is in `{other}` and in `{kind}`", name.value);
                problems
                    .add(Problem::new(name.span.clone(), message).help("it can be one of them"));
            }
        }
    }
}

fn arguments(scope: &Scope<'_>, bindings: &Bindings, bound: &mut Bound, problems: &mut Problems) {
    let mut members = Vec::new();
    for (place, (name, _)) in in_order(&bindings.args).into_iter().enumerate() {
        members.push((
            name,
            format!("experimental::RtaArg<uint32_t> {}{{{}}}", name.value, 4 * place),
        ));
    }
    for (place, (name, given)) in in_order(&bindings.common_args).into_iter().enumerate() {
        bound.common.extend(problems.keep(word(scope, given, None)));
        members.push((
            name,
            format!("experimental::CrtaArg<uint32_t> {}{{{}}}", name.value, 4 * place),
        ));
    }
    for (name, given) in in_order(&bindings.compile_time_args) {
        let value = problems.keep(word(scope, given, None)).unwrap_or_default();
        members.push((name, format!("experimental::CtaVal<uint32_t> {}{{{value}u}}", name.value)));
    }
    namespace(&mut bound.prelude, ("args", "experimental/kernel_args.h"), members, problems);
}

fn buffers(scope: &Scope<'_>, bindings: &Bindings, bound: &mut Bound, problems: &mut Problems) {
    let mut members = Vec::new();
    for (name, of) in in_order(&bindings.dfb) {
        let index = number_of("buffer", scope, of, &scope.program.buffers, problems);
        members.push((name, format!("DFBBindingToken {}{{{index}}}", name.value)));
    }
    let header = "api/dataflow/dataflow_buffer.h";
    namespace(&mut bound.prelude, ("dfb", header), members, problems);
}

fn tensors(
    scope: &Scope<'_>,
    bindings: &Bindings,
    words: usize,
    bound: &mut Bound,
    problems: &mut Problems,
) {
    let mut members = Vec::new();
    for (name, of) in in_order(&bindings.tensor) {
        let (at, address) = (words + bound.compile_time.len(), 4 * bound.common.len());
        if !scope.document.tensors.keys().any(|key| key.value == of.value) {
            problems.add(no_such("tensor", of, scope.document.tensors.keys()));
        }
        scope.uses(&of.value);
        // One that could not be placed has been reported.
        if let Some(placed) = scope.placed.get(&of.value) {
            placed.accessor_args().append_to(&mut bound.compile_time);
            bound.common.push(placed.buffer.address_word());
        }
        let token = format!("tensor_accessor::TensorBindingToken<{at}, {address}>");
        members.push((name, format!("{token} {}{{}}", name.value)));
    }
    let header = "api/tensor/tensor_binding_token.h";
    namespace(&mut bound.prelude, ("tensor", header), members, problems);
}

fn semaphores(scope: &Scope<'_>, bindings: &Bindings, bound: &mut Bound, problems: &mut Problems) {
    let mut members = Vec::new();
    for (name, of) in in_order(&bindings.sem) {
        let number = number_of("semaphore", scope, of, &scope.program.semaphores, problems);
        members.push((name, format!("uint32_t {}{{{number}}}", name.value)));
    }
    namespace(&mut bound.prelude, ("sem", "cstdint"), members, problems);
}

/// What an expression would make of a buffer or semaphore.
fn number_of<Table>(
    what: &str,
    scope: &Scope<'_>,
    of: &At<String>,
    known: &Named<Table>,
    problems: &mut Problems,
) -> u32 {
    if !known.keys().any(|key| key.value == of.value) {
        problems.add(no_such(what, of, known.keys()));
        return 0;
    }
    let given = Expression::Text(format!("{what}.{}", of.value));
    let given = At { value: given, span: of.span.clone() };
    problems.keep(word(scope, &given, None)).unwrap_or_default()
}

fn namespace(
    text: &mut String,
    (name, header): (&str, &str),
    members: Vec<(&At<String>, String)>,
    problems: &mut Problems,
) {
    if members.is_empty() {
        return;
    }
    let _ = writeln!(text, "#include <{header}>\nnamespace {name} {{");
    for (key, declaration) in members {
        problems.keep(names::check(key));
        let _ = writeln!(text, "inline constexpr {declaration};");
    }
    text.push_str("}\n");
}
