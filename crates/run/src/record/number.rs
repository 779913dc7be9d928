//! Numbers that may be none: JSON has no NaN and no infinity.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number; NaN and infinities are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`, which
/// Python's `float` and JavaScript's `Number` read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else if self.0.is_nan() {
            serializer.serialize_str("NaN")
        } else if self.0 > 0.0 {
            serializer.serialize_str("Infinity")
        } else {
            serializer.serialize_str("-Infinity")
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text {
            Finite(f64),
            Other(String),
        }
        match Text::deserialize(deserializer)? {
            Text::Finite(value) => Ok(Number(value)),
            Text::Other(text) => text.parse().map(Number).map_err(serde::de::Error::custom),
        }
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number; what JSON has no number for is one of three strings.",
            "anyOf": [
                { "type": "number" },
                { "enum": ["NaN", "Infinity", "-Infinity"] },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn what_json_lacks_is_a_string() {
        let text = |value| serde_json::to_string(&Number(value)).expect("JSON");
        assert_eq!(text(0.25), "0.25");
        assert_eq!(text(f64::NAN), "\"NaN\"");
        assert_eq!(text(f64::INFINITY), "\"Infinity\"");
        assert_eq!(text(f64::NEG_INFINITY), "\"-Infinity\"");
        for value in [0.1, f64::MAX, 5e-324, f64::INFINITY, f64::NEG_INFINITY] {
            let read: Number = serde_json::from_str(&text(value)).expect("a number");
            assert_eq!(read.0.to_bits(), value.to_bits(), "{value}");
        }
    }
}
