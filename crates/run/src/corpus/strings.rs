//! Operations that hosts write into macros: `"relu_tile({});"` in a host's file becomes a kernel's
//! `SFPU_OP_CHAIN_0`. They are counted apart, since the kernels that take them compile without.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tilewright_machine::Processor;
use tilewright_metal::cpp::{CppError, CppSource, Workshop};

use super::Target;
use super::assume::{self, Assumed};
use super::find::files_below;

/// The operations that one host's file injects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpStrings {
    /// The file.
    pub file: PathBuf,
    /// Every operation in it: the call, and whether it is served.
    pub calls: BTreeMap<String, bool>,
}

/// The file that holds every call, one a line.
const FILE: &str = "op_strings.cpp";
/// What stands before the calls.
const HEADERS: &str = "api/compute/eltwise_unary/sfpu_split_includes.h";

/// The operations that hosts below a folder inject, by file.
pub fn op_strings(
    workshop: &Workshop,
    folder: &Path,
    excluded: &[String],
    target: Target<'_>,
) -> Result<Vec<OpStrings>, CppError> {
    let io = |error: io::Error| CppError::Io { path: folder.to_owned(), error };
    let mut found = Vec::new();
    for file in files_below(folder, excluded).map_err(io)? {
        let is_host = file.extension().is_some_and(|it| it == "cpp" || it == "hpp");
        let Some(text) = is_host.then(|| fs::read(&file).ok()).flatten() else { continue };
        let calls = calls_in(&String::from_utf8_lossy(&text), &file);
        if !calls.is_empty() {
            found.push((file, calls));
        }
    }
    let all: BTreeSet<&String> = found.iter().flat_map(|(_, calls)| calls).collect();
    let served = served(workshop, &Vec::from_iter(all), target)?;
    let mark = |call: String| (served.contains(&call), call);
    let strings = |(file, calls): (PathBuf, BTreeSet<String>)| {
        let calls = calls.into_iter().map(mark).map(|(is_served, call)| (call, is_served));
        OpStrings { file, calls: calls.collect() }
    };
    Ok(found.into_iter().map(strings).collect())
}

/// The calls that compile for math, all in one unit.
fn served(
    workshop: &Workshop,
    calls: &[&String],
    target: Target<'_>,
) -> Result<BTreeSet<String>, CppError> {
    if calls.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut text = String::new();
    for (place, call) in calls.iter().enumerate() {
        let _ = writeln!(text, "void op_{place}() {{ {call} }}");
    }
    let source = CppSource {
        file: PathBuf::from(FILE),
        text: Some(text),
        include_paths: target.include_paths.to_vec(),
        prelude: prelude(),
    };
    let unit = assume::unit_of(&source, target, &[], Processor::Math, &Assumed::Ones);
    let mut wrong = BTreeSet::new();
    if let Err(error) = workshop.survey(&unit) {
        let CppError::Kernels(diagnostics) = error else { return Err(error) };
        wrong.extend(diagnostics.iter().map(|it| it.line as usize));
    }
    let is_served = |(place, _): &(usize, &&String)| !wrong.contains(&(place + 1));
    Ok(calls.iter().enumerate().filter(is_served).map(|(_, call)| (*call).clone()).collect())
}

/// Every header of functions, and a value for whatever a host would choose.
fn prelude() -> String {
    let mut text =
        format!("#include \"{HEADERS}\"\n#include \"api/compute/compute_kernel_api.h\"\n");
    for (path, _) in tilewright_metal::cpp::HEADERS {
        let name = path.strip_prefix("api/compute/").filter(|name| !name.contains('/'));
        if name.is_some() {
            let _ = writeln!(text, "#include \"{path}\"");
        }
    }
    text + "struct tw_any { template <typename T> constexpr operator T() const { return T{}; } };\n"
}

/// The calls that a host's text holds as string literals.
fn calls_in(text: &str, file: &Path) -> BTreeSet<String> {
    let is_ternary = file.to_string_lossy().contains("ternary");
    let mut calls = BTreeSet::new();
    for line in text.lines() {
        if !line.trim_start().starts_with("//") && !line.trim_start().starts_with("#include") {
            calls.extend(line.split('"').skip(1).step_by(2).filter_map(|it| call(it, is_ternary)));
        }
    }
    calls
}

/// The call in a literal: a name with `_tile` in it, perhaps with template arguments, perhaps with
/// its arguments.
fn call(literal: &str, is_ternary: bool) -> Option<String> {
    let literal = literal.trim().trim_end_matches(';');
    let is_part =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let name = &literal[..literal.find(|letter| !is_part(letter)).unwrap_or(literal.len())];
    // Functions of data movement fill tiles too.
    if !name.contains("_tile")
        || name.starts_with("fill_tile_with")
        || name.starts_with("fill_with")
    {
        return None;
    }
    let rest = &literal[name.len()..];
    let (template, arguments) = match rest.find('(') {
        Some(at) => (&rest[..at], rest[at..].to_owned()),
        None => (rest, default_arguments(name, is_ternary).to_owned()),
    };
    let is_whole = arguments.ends_with(')') && (template.is_empty() || template.ends_with('>'));
    let template = filled(template, name, true);
    is_whole.then(|| format!("{name}{template}{};", filled(&arguments, name, false)))
}

/// What kernels give to a macro that is a name alone.
fn default_arguments(name: &str, is_ternary: bool) -> &'static str {
    if name.ends_with("_init") {
        "()"
    } else if name.ends_with("_tiles") {
        "(0, 1, 0, 0, 0)"
    } else if is_ternary {
        "(0, 1, 2, 0)"
    } else {
        "(0, 1, 0)"
    }
}

/// A text with a value for each `{…}` of the host's formatter.
fn filled(text: &str, name: &str, is_template: bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}') else { break };
        rest = &rest[at + end + 1..];
        out.push_str(value(&out, rest, name, is_template));
    }
    out + rest
}

/// One plausible value: a format, a number, or whatever a template takes.
fn value(before: &str, after: &str, name: &str, is_template: bool) -> &'static str {
    let is_integer = ["bitwise", "shift", "int"].iter().any(|word| name.contains(word));
    if before.ends_with("DataFormat::") {
        if is_integer { "Int32" } else { "Float16_b" }
    } else if name.starts_with("typecast") && is_template {
        // bf16 to fp32.
        if before.contains(',') { "0" } else { "5" }
    } else if is_template && !after.starts_with('u') {
        "tw_any{}"
    } else {
        "0"
    }
}

#[cfg(test)]
mod tests {
    use super::{calls_in, filled};
    use std::path::Path;

    #[test]
    fn calls_are_literals_that_name_a_function_of_tiles() {
        let text = r#"
            return {"relu_tile_init();", fmt::format("relu_max_tile({}, {:#x}u);", idst, x)};
            // "comment_tile();"
            defines["BINARY_SFPU_OP"] = "add_int_tile<DataFormat::Int32>";
            path = "kernels/eltwise_tile.cpp"; fill = "fill_tile_with_first_row";
            op = "add_tiles"; bad = "Missing tile";
        "#;
        let calls = calls_in(text, Path::new("binary_ng_utils.cpp"));
        let expected = [
            "add_int_tile<DataFormat::Int32>(0, 1, 0);",
            "add_tiles(0, 1, 0, 0, 0);",
            "relu_max_tile(0, 0u);",
            "relu_tile_init();",
        ];
        assert_eq!(Vec::from_iter(calls), expected);
    }

    #[test]
    fn places_of_a_formatter_get_values() {
        assert_eq!(filled("<{}, {}u>", "sigmoid_tile", true), "<tw_any{}, 0u>");
        assert_eq!(filled("<DataFormat::{0}>", "bitwise_or_tile", true), "<DataFormat::Int32>");
        assert_eq!(filled("<{1}u, {2}u>", "typecast_tile", true), "<5u, 0u>");
    }
}
