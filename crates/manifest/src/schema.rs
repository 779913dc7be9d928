//! The published schema of manifests, and the reference page that is made from it.

use std::fmt::Write as _;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::document::Document;
use super::expression::Function;
use super::schema_check::one_line;
use super::scope::{OWN_NAMES, TENSOR_NAMES};

/// The JSON schema (draft 2020-12) that every manifest is checked against.
pub fn schema() -> String {
    let mut text = serde_json::to_string_pretty(&value()).expect("a schema is plain JSON");
    text.push('\n');
    text
}

pub(super) fn value() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Document>();
    schema.insert("title".to_owned(), "A program manifest of tilewright".into());
    let needed = json!([{ "required": ["kernels"] }, { "required": ["programs"] }]);
    schema.insert("anyOf".to_owned(), needed);
    schema.into()
}

/// The reference page in Markdown: every table with its keys, and what expressions may contain.
/// The names of references are not part of it.
pub fn page() -> String {
    let schema = value();
    let mut text = String::from("# Program manifests\n\n");
    text.push_str(&described(&schema));
    text.push_str(
        "\n\nThe schema is [docs/schema/manifest.schema.json](../schema/manifest.schema.json). A \
         key that a table does not list is an error.\n",
    );
    table(&mut text, "The manifest", &schema, &schema);
    let parts = [
        "Split",
        "Tensor",
        "Buffer",
        "Semaphore",
        "Kernel",
        "Bindings",
        "Reference",
        "Expected",
        "Program",
    ];
    for part in parts {
        let Some(part_schema) = schema.pointer(&format!("/$defs/{part}")) else { continue };
        table(&mut text, part, part_schema, &schema);
    }
    table(&mut text, "Holds", &schema["$defs"]["Holds"], &schema);
    table(&mut text, "Shards", &schema["$defs"]["Shards"], &schema);
    expressions(&mut text);
    text
}

fn described(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).map(one_line).unwrap_or_default()
}

fn table(text: &mut String, name: &str, schema: &Value, root: &Value) {
    let empty = Map::new();
    let keys = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |key: &str| required.is_some_and(|keys| keys.iter().any(|it| it.as_str() == Some(key)));
    let _ = write!(text, "\n## {name}\n\n");
    if name != "The manifest" {
        let _ = write!(text, "{}\n\n", described(schema));
    }
    text.push_str("| key | is | meaning |\n|---|---|---|\n");
    for (key, value) in keys {
        let needed = if is_required(key) { " (needed)" } else { "" };
        let kind = kind(value, root);
        let _ = writeln!(text, "| `{key}`{needed} | {kind} | {} |", described(value));
    }
}

/// What a key holds, in a few words.
fn kind(schema: &Value, root: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let part = root.pointer(name.trim_start_matches('#')).unwrap_or(&Value::Null);
        let last = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        let words = part.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let words: Vec<String> = words
            .filter_map(|word| word.get("const").and_then(Value::as_str))
            .map(|word| format!("`\"{word}\"`"))
            .collect();
        return if words.is_empty() { last } else { words.join(", ") };
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        return options.first().map(|first| kind(first, root)).unwrap_or_default();
    }
    if let Some(inner) = schema.get("additionalProperties").filter(|inner| inner.is_object()) {
        return format!("table of {}", kind(inner, root));
    }
    if let Some(items) = schema.get("items") {
        return format!("list of {}", kind(items, root));
    }
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(kind)) => vec![kind.as_str()],
        _ => Vec::new(),
    };
    let plain = kinds.into_iter().filter(|kind| *kind != "null").map(|kind| match kind {
        "string" => "text",
        "integer" => "whole number",
        "boolean" => "true or false",
        other => other,
    });
    plain.collect::<Vec<_>>().join(" or ")
}

fn expressions(text: &mut String) {
    text.push_str(
        "\n## Expressions\n\nWhole numbers, `+ - * / %` (division rounds down), parentheses, names \
         and functions. A number may be written in hexadecimal (`0x3f80`).\n\n| name | is \
         |\n|---|---|\n",
    );
    let mut row = |name: &str, about: &str| {
        let _ = writeln!(text, "| `{name}` | {about} |");
    };
    for (name, about) in OWN_NAMES {
        row(name, about);
    }
    for (name, about) in TENSOR_NAMES {
        row(&format!("tensor.NAME.{name}"), about);
    }
    row("tensor.NAME.accessor", "the words of its accessor; an entry of `compile_time_args`");
    row("buffer.NAME", "its index; also `.pages` and `.page_bytes`");
    row("semaphore.NAME", "its number");
    row("core.index", "the core's place among the kernel's cores; also `core.x` and `core.y`");
    row("grid.x", "columns of the device's grid of cores; `grid.y`: its rows");
    row("split.units", "units dealt out; `split.cores`: cores that have some");
    row("split.count_1", "units of a core of the first group; `split.count_2`: of the second");
    text.push_str("\n| function | gives |\n|---|---|\n");
    for (_, name, operands, about) in Function::ALL {
        let operands = ["a", "a, b"][operands - 1];
        let _ = writeln!(text, "| `{name}({operands})` | {about} |");
    }
}
