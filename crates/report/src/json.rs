//! Records as JSON, and the schemas that are published of them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

/// A record as one JSON object on several lines, with a line end.
pub fn text(record: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(record)
        .expect("records have text keys, and numbers that JSON lacks are strings");
    text.push('\n');
    text
}

/// A record as one JSON object on one line, with a line end.
pub fn line(record: &impl Serialize) -> String {
    let mut text = serde_json::to_string(record)
        .expect("records have text keys, and numbers that JSON lacks are strings");
    text.push('\n');
    text
}

/// The JSON schema (draft 2020-12) of a record, for publication under a name.
pub fn schema<Record: JsonSchema>(name: &str) -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Record>();
    schema.insert("title".to_owned(), name.into());
    text(&schema)
}
