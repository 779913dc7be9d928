//! Values that know where in the manifest they stand.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// A value and the bytes of the text that it was read from.
#[derive(Clone, Debug)]
pub(super) struct At<Value> {
    pub(super) value: Value,
    pub(super) span: Range<usize>,
}

impl<'de, Value: Deserialize<'de>> Deserialize<'de> for At<Value> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<At<Value>, D::Error> {
        let spanned = toml::Spanned::<Value>::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(At { value: spanned.into_inner(), span })
    }
}

impl<Value: PartialEq> PartialEq for At<Value> {
    fn eq(&self, other: &At<Value>) -> bool {
        self.value == other.value
    }
}

impl<Value: Eq> Eq for At<Value> {}

impl<Value: Ord> PartialOrd for At<Value> {
    fn partial_cmp(&self, other: &At<Value>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Names are ordered as text; where they stand does not matter.
impl<Value: Ord> Ord for At<Value> {
    fn cmp(&self, other: &At<Value>) -> Ordering {
        self.value.cmp(&other.value)
    }
}

impl<Value: JsonSchema> JsonSchema for At<Value> {
    fn inline_schema() -> bool {
        Value::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        Value::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Value::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Value::json_schema(generator)
    }
}
