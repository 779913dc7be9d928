//! JSON held to a published schema. Knows the keywords that these schemas use, and refuses others:
//! a keyword that is passed over would let anything through.

use serde_json::{Map, Value};

/// Words that describe and do not demand. Formats of numbers are demanded by their limits.
const DESCRIBING: [&str; 6] = ["$schema", "$defs", "title", "description", "default", "format"];

/// Everything that is wrong with a value, each with its place.
pub fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    Checked { whole: schema }.value(schema, value, "", &mut errors);
    errors
}

/// A schema, for its named parts.
struct Checked<'a> {
    whole: &'a Value,
}

impl Checked<'_> {
    fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.value(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn value(&self, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
        let Value::Object(keywords) = schema else {
            if schema != &Value::Bool(true) {
                errors.push(format!("{at}: nothing may stand here"));
            }
            return;
        };
        for (keyword, demand) in keywords {
            if DESCRIBING.contains(&keyword.as_str()) {
                continue;
            }
            let before = errors.len();
            if !self.holds(keyword, demand, keywords, value, at, errors) && before == errors.len() {
                errors.push(format!("{at}: {value} is not as `{keyword}`: {demand} says"));
            }
        }
    }

    /// Whether a value is as one keyword demands; problems deeper within are added to `errors`.
    fn holds(
        &self,
        keyword: &str,
        demand: &Value,
        keywords: &Map<String, Value>,
        value: &Value,
        at: &str,
        errors: &mut Vec<String>,
    ) -> bool {
        let count_valid = || list(demand).filter(|it| self.is_valid(it, value)).count();
        let length = value.as_array().map(Vec::len);
        let limit = |most: bool| match (length, demand.as_u64()) {
            (Some(length), Some(limit)) if most => length as u64 <= limit,
            (Some(length), Some(limit)) => length as u64 >= limit,
            _ => true,
        };
        match keyword {
            "$ref" => {
                let name = demand.as_str().expect("a name").trim_start_matches('#');
                let part = self.whole.pointer(name).expect("a part of the schema");
                self.value(part, value, at, errors);
                true
            }
            "type" => match demand {
                Value::String(kind) => is_kind(value, kind),
                kinds => list(kinds).filter_map(Value::as_str).any(|kind| is_kind(value, kind)),
            },
            "const" => value == demand,
            "enum" => list(demand).any(|it| it == value),
            "anyOf" => count_valid() > 0,
            "oneOf" => count_valid() == 1,
            "minimum" => number(value).is_none_or(|it| it >= number(demand).expect("a number")),
            "maximum" => number(value).is_none_or(|it| it <= number(demand).expect("a number")),
            "minItems" => limit(false),
            "maxItems" => limit(true),
            "items" => {
                for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.value(demand, item, &format!("{at}/{place}"), errors);
                }
                true
            }
            "required" => value.as_object().is_none_or(|object| {
                list(demand).filter_map(Value::as_str).all(|name| object.contains_key(name))
            }),
            "properties" => {
                for (name, part) in demand.as_object().expect("names") {
                    if let Some(value) = value.get(name) {
                        self.value(part, value, &format!("{at}/{name}"), errors);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                let is_other = |name: &String| known.is_none_or(|known| !known.contains_key(name));
                let all = value.as_object().into_iter().flatten();
                for (name, value) in all.filter(|(name, _)| is_other(name)) {
                    self.value(demand, value, &format!("{at}/{name}"), errors);
                }
                true
            }
            unknown => panic!("schemas use `{unknown}`, which this test does not know"),
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        unknown => panic!("schemas know no type `{unknown}`"),
    }
}

#[test]
fn what_a_schema_refuses() {
    let schema = serde_json::json!({
        "$defs": { "Small": { "type": "integer", "minimum": 0, "maximum": 9 } },
        "type": "object",
        "properties": {
            "a": { "$ref": "#/$defs/Small" },
            "b": { "type": ["string", "null"], "description": "words" },
            "c": { "type": "array", "items": { "enum": [1, 2] }, "minItems": 1, "maxItems": 2 },
            "d": { "oneOf": [{ "const": "x" }, { "type": "string" }] },
            "e": { "anyOf": [{ "type": "number" }, { "const": "NaN" }] },
        },
        "required": ["a"],
        "additionalProperties": false,
    });
    let wrong = |text: &str| errors(&schema, &serde_json::from_str(text).expect("JSON")).len();
    assert_eq!(wrong(r#"{"a": 1, "b": null, "c": [2], "d": "y", "e": 0.5}"#), 0);
    assert_eq!(wrong(r#"{"a": 0, "e": "NaN"}"#), 0);
    for text in [
        "[]",
        "{}",
        r#"{"a": -1}"#,
        r#"{"a": 10}"#,
        r#"{"a": 1.5}"#,
        r#"{"a": 1, "b": 1}"#,
        r#"{"a": 1, "c": []}"#,
        r#"{"a": 1, "c": [1, 1, 1]}"#,
        r#"{"a": 1, "c": [3]}"#,
        r#"{"a": 1, "d": "x"}"#,
        r#"{"a": 1, "e": "large"}"#,
        r#"{"a": 1, "z": 1}"#,
    ] {
        assert_eq!(wrong(text), 1, "{text}");
    }
}
