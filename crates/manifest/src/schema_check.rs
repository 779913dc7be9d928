//! A manifest's text checked against its schema: every unknown key, missing key, wrong type
//! and wrong word at once, each with its place. Serde alone would stop at the first.
//!
//! Knows as much of JSON schema as the manifest's own schema uses.

use std::ops::Range;
use tilewright_metal::nearest;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Problem, Problems};

/// Notes everything in `table` that is not as the schema says.
pub(super) fn check(table: &Spanned<DeTable<'_>>, schema: &Value, problems: &mut Problems) {
    let root = Root(schema);
    root.table(table.get_ref(), &(0..0), "the manifest", schema, problems);
}

/// The whole schema, for its named parts.
struct Root<'a>(&'a Value);

impl<'a> Root<'a> {
    /// The schema itself, where it only names one of the parts; optional values allow null, which
    /// TOML does not have.
    fn resolve(&self, schema: &'a Value) -> &'a Value {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let pointer = name.trim_start_matches('#');
            return self.0.pointer(pointer).map_or(schema, |named| self.resolve(named));
        }
        let is_real = |option: &&Value| option.get("type") != Some(&Value::from("null"));
        match schema.get("anyOf").and_then(Value::as_array) {
            Some(options) => options.iter().find(is_real).map_or(schema, |it| self.resolve(it)),
            None => schema,
        }
    }

    fn value(
        &self,
        value: &Spanned<DeValue<'_>>,
        name: &str,
        schema: &'a Value,
        problems: &mut Problems,
    ) {
        let schema = self.resolve(schema);
        let (span, given) = (value.span(), value.get_ref());
        let words = words(schema);
        if !words.is_empty() {
            return word(given, span, name, &words, problems);
        }
        let kinds = kinds(schema);
        if !kinds.is_empty() && !kinds.iter().any(|kind| is_kind(given, kind)) {
            let wanted = one_of(kinds.iter().map(|kind| kind_name(kind)));
            let message = format!("`{name}` is {}, but it must be {wanted}", kind_of(given));
            return problems.add(Problem::new(span, message));
        }
        match given {
            DeValue::Table(table) => {
                self.table(table, &span, &format!("[{name}]"), schema, problems);
            }
            DeValue::Array(items) => {
                let Some(schema) = schema.get("items") else { return };
                let item_name = format!("an entry of {name}");
                items.iter().for_each(|item| self.value(item, &item_name, schema, problems));
            }
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {}
        }
    }

    fn table(
        &self,
        table: &DeTable<'_>,
        span: &Range<usize>,
        name: &str,
        schema: &'a Value,
        problems: &mut Problems,
    ) {
        let nothing = Map::new();
        let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        for (key, value) in table {
            let key_name: &str = key.get_ref();
            let inner = inner_name(name, key_name);
            match known.get(key_name).or(others) {
                Some(schema) => self.value(value, &inner, schema, problems),
                None => problems.add(unknown(key_name, key.span(), name, known)),
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for missing in required.filter_map(Value::as_str).filter(|key| !table.contains_key(*key)) {
            let about = known.get(missing).and_then(|key| key.get("description"));
            let problem = Problem::new(span.clone(), format!("{name} has no `{missing}`"));
            problems.add(match about.and_then(Value::as_str) {
                Some(about) => problem.help(format!("{missing}: {}", one_line(about))),
                None => problem,
            });
        }
    }
}

/// A key below a table, as `kernels.reader`.
fn inner_name(table: &str, key: &str) -> String {
    match table.strip_prefix('[').and_then(|table| table.strip_suffix(']')) {
        Some(table) => format!("{table}.{key}"),
        None => key.to_owned(),
    }
}

fn unknown(key: &str, span: Range<usize>, table: &str, known: &Map<String, Value>) -> Problem {
    let problem = Problem::new(span, format!("{table} has no key `{key}`"));
    let names = || known.keys().map(String::as_str);
    match nearest(key, names()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help(format!("known: {}", names().collect::<Vec<_>>().join(", "))),
    }
}

/// The words that a schema allows, if it allows only certain ones.
fn words(schema: &Value) -> Vec<&str> {
    let options = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let single = options.filter_map(|option| option.get("const"));
    let several = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    single.chain(several).filter_map(Value::as_str).collect()
}

fn word(
    given: &DeValue<'_>,
    span: Range<usize>,
    name: &str,
    words: &[&str],
    problems: &mut Problems,
) {
    let wanted = one_of(words.iter().map(|word| format!("\"{word}\"")));
    let Some(text) = given.as_str() else {
        let message = format!("`{name}` is {}, but it must be {wanted}", kind_of(given));
        return problems.add(Problem::new(span, message));
    };
    if !words.contains(&text) {
        let problem = Problem::new(span, format!("`{name}` cannot be \"{text}\""));
        problems.add(match nearest(text, words.iter().copied()) {
            Some(near) => problem.help(format!("did you mean \"{near}\"?")),
            None => problem.help(format!("it may be {wanted}")),
        });
    }
}

/// The kinds of value that a schema allows.
fn kinds(schema: &Value) -> Vec<&str> {
    let kinds = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    kinds.into_iter().filter(|kind| *kind != "null").collect()
}

fn is_kind(value: &DeValue<'_>, kind: &str) -> bool {
    match value {
        DeValue::String(_) => kind == "string",
        DeValue::Integer(_) => kind == "integer" || kind == "number",
        DeValue::Float(_) => kind == "number",
        DeValue::Boolean(_) => kind == "boolean",
        DeValue::Datetime(_) => false,
        DeValue::Array(_) => kind == "array",
        DeValue::Table(_) => kind == "object",
    }
}

fn kind_name(kind: &str) -> String {
    match kind {
        "string" => "text in quotes",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        _ => "a table",
    }
    .to_owned()
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn one_of(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Descriptions are broken into lines where the source code was.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
