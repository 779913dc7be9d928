//! SARIF 2.1.0 (OASIS), which code hosts show beside the lines.

use serde_json::{Value, json};
use tilewright_check::FindingId;

use super::{COULD_NOT_RUN, Spot, Trouble, troubles};
use crate::json::text;
use crate::record::{Checked, Mark};

/// A log with one run of the tool.
pub fn sarif(checked: &Checked) -> String {
    let found: Vec<Trouble<'_>> = checked.programs.iter().flat_map(troubles).collect();
    let mut rules: Vec<Value> = FindingId::ALL
        .iter()
        .filter(|id| found.iter().any(|trouble| trouble.id == id.name()))
        .map(rule)
        .collect();
    if found.iter().any(|trouble| trouble.id == COULD_NOT_RUN) {
        let about = "A program that could not be run.";
        rules.push(json!({ "id": COULD_NOT_RUN, "shortDescription": { "text": about } }));
    }
    let failed = checked.programs.iter().any(|program| program.failure.is_some());
    text(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "tilewright",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": !failed }],
            "results": found.iter().map(result).collect::<Vec<Value>>(),
        }],
    }))
}

fn rule(id: &FindingId) -> Value {
    json!({
        "id": id.name(),
        "shortDescription": { "text": id.summary() },
        "help": { "text": id.manual(), "markdown": id.manual() },
        "properties": { "tags": id.tool().map(|tool| tool.name()).into_iter().collect::<Vec<_>>() },
    })
}

fn result(trouble: &Trouble<'_>) -> Value {
    let mut result = json!({
        "ruleId": trouble.id,
        "level": "error",
        "message": { "text": trouble.message() },
        "partialFingerprints": { "tilewright/v1": trouble.fingerprint() },
        "properties": { "program": trouble.program },
    });
    if let Some(place) = &trouble.place {
        result["locations"] = json!([location(place, None)]);
    }
    if let Some(finding) = trouble.finding {
        let marks = finding.marks.iter().filter(|mark| mark.line > 0);
        let related: Vec<Value> =
            marks.map(|mark| location(&own(mark), Some(&mark.role))).collect();
        result["relatedLocations"] = json!(related);
        result["properties"]["blame"] = json!(finding.blame);
        if let Some(replay) = &finding.replay {
            result["properties"]["replay"] = json!(replay);
        }
    }
    result
}

fn own(mark: &Mark) -> Spot {
    let Mark { line, column, end_column, .. } = *mark;
    Spot { file: mark.file.clone(), line, column, end_column }
}

fn location(place: &Spot, message: Option<&str>) -> Value {
    let mut region = json!({ "startLine": place.line });
    if place.column > 0 {
        region["startColumn"] = json!(place.column);
    }
    if place.end_column > place.column && place.column > 0 {
        region["endColumn"] = json!(place.end_column);
    }
    let uri = uri(&place.file);
    let mut location = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri }, "region": region },
    });
    if let Some(message) = message {
        location["message"] = json!({ "text": message });
    }
    location
}

/// A path as a relative reference (RFC 3986): what has a meaning there is escaped.
fn uri(path: &str) -> String {
    let mut all = String::new();
    for byte in path.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        if is_plain { all.push(char::from(byte)) } else { all += &format!("%{byte:02X}") }
    }
    if path.starts_with('/') { format!("file://{all}") } else { all }
}
