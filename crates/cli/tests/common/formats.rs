//! What services of continuous integration demand of the forms that `check` writes: facts of their
//! documentation, held by a checker of our own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::json_schema;

const SARIF: &str = include_str!("../formats/sarif.json");
const GITLAB: &str = include_str!("../formats/gitlab.json");

fn held(schema: &str, value: &Value) -> Vec<String> {
    json_schema::errors(&serde_json::from_str(schema).expect("a schema"), value)
}

/// What is wrong with a SARIF log: its shape, rules that are not there, paths that no host finds.
pub fn sarif(log: &Value) -> Vec<String> {
    let mut errors = held(SARIF, log);
    for run in log["runs"].as_array().into_iter().flatten() {
        let rules = run["tool"]["driver"]["rules"].as_array().into_iter().flatten();
        let rules: Vec<&str> = rules.filter_map(|rule| rule["id"].as_str()).collect();
        if rules.iter().collect::<BTreeSet<_>>().len() < rules.len() {
            errors.push("a rule is there twice".to_owned());
        }
        for result in run["results"].as_array().into_iter().flatten() {
            let id = result["ruleId"].as_str().unwrap_or_default();
            if !rules.contains(&id) {
                errors.push(format!("no rule `{id}`"));
            }
            let places = ["locations", "relatedLocations"].map(|name| &result[name]);
            for place in places.into_iter().filter_map(Value::as_array).flatten() {
                let place = &place["physicalLocation"];
                let uri = place["artifactLocation"]["uri"].as_str().unwrap_or_default();
                if uri.is_empty() || uri.contains([' ', '\\', '"', '<', '>']) {
                    errors.push(format!("`{uri}` is no reference of RFC 3986"));
                }
            }
        }
    }
    errors
}

/// What is wrong with a code quality report of GitLab.
pub fn gitlab(report: &Value) -> Vec<String> {
    let mut errors = held(GITLAB, report);
    let issues = report.as_array().into_iter().flatten();
    let prints: Vec<&str> = issues.filter_map(|it| it["fingerprint"].as_str()).collect();
    if prints.iter().collect::<BTreeSet<_>>().len() < prints.len() {
        errors
            .push("two issues have the same fingerprint, and one of them is not shown".to_owned());
    }
    errors
}

/// What is wrong with a line for GitHub's runner, which takes `::NAME KEY=VALUE,…::TEXT` as a
/// command and shows any other line. A property ends at a comma or colon, a command at its line.
pub fn annotation(line: &str) -> Option<String> {
    let command = line.strip_prefix("::")?;
    let Some((head, _)) = command.split_once("::") else {
        return Some(format!("no text: {line}"));
    };
    let Some((name, properties)) = head.split_once(' ') else {
        return Some(format!("no properties: {line}"));
    };
    if !["error", "warning", "notice"].contains(&name) {
        return Some(format!("no such command: {name}"));
    }
    properties.split(',').find_map(|property| {
        let (key, value) = property.split_once('=').unwrap_or((property, ""));
        let is_number = value.parse::<u32>().is_ok_and(|number| number > 0);
        let is_right = match key {
            "file" | "title" => !value.is_empty() && !value.contains(':'),
            "line" | "endLine" | "col" | "endColumn" => is_number,
            _ => false,
        };
        (!is_right).then(|| format!("`{property}` of {line}"))
    })
}

/// An XML element: its name, attributes and children.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
}

/// What is wrong with a JUnit report, by Jenkins' schema: which element may stand in which, with
/// which attributes; and whether its totals are those of its cases.
pub fn junit(text: &str) -> Vec<String> {
    let Some(body) = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") else {
        return vec!["no XML declaration".to_owned()];
    };
    let (root, rest) = match element(body.trim()) {
        Ok(parsed) => parsed,
        Err(error) => return vec![error],
    };
    let mut errors = Vec::new();
    if root.name != "testsuites" || !rest.is_empty() {
        errors.push("not one element `testsuites`".to_owned());
    }
    nested(&root, &mut errors);
    for suite in &root.children {
        let with = |kind: &str| {
            let has = |case: &&Element| case.children.iter().any(|child| child.name == kind);
            suite.children.iter().filter(has).count().to_string()
        };
        let tests = suite.children.len().to_string();
        let totals = [("tests", tests), ("failures", with("failure")), ("errors", with("error"))];
        for (name, counted) in totals {
            if suite.attributes.get(name) != Some(&counted) {
                errors.push(format!("{name} are {counted}, the suite says {:?}", suite.attributes));
            }
        }
    }
    errors
}

/// Children and attributes of an element; those with `!` are required.
fn allowed(name: &str) -> Option<(&'static [&'static str], &'static [&'static str])> {
    Some(match name {
        "testsuites" => (&["testsuite"], &["name", "time", "tests", "failures", "errors"]),
        "testsuite" => (
            &["testcase", "properties", "system-out", "system-err"],
            &["name!", "tests!", "failures", "errors", "skipped", "time", "timestamp"],
        ),
        "testcase" => (
            &["skipped", "error", "failure", "system-out", "system-err"],
            &["name!", "classname", "time", "status", "assertions"],
        ),
        "failure" | "error" => (&[], &["type", "message"]),
        "system-out" | "system-err" => (&[], &[]),
        _ => return None,
    })
}

fn nested(element: &Element, errors: &mut Vec<String>) {
    let Some((children, attributes)) = allowed(&element.name) else {
        return errors.push(format!("`{}` is no element of JUnit", element.name));
    };
    for child in &element.children {
        if !children.contains(&child.name.as_str()) {
            errors.push(format!("`{}` in `{}`", child.name, element.name));
        }
        nested(child, errors);
    }
    for name in element.attributes.keys() {
        if !attributes.iter().any(|it| it.trim_end_matches('!') == name) {
            errors.push(format!("`{}` has no attribute `{name}`", element.name));
        }
    }
    for required in attributes.iter().filter_map(|it| it.strip_suffix('!')) {
        if !element.attributes.contains_key(required) {
            errors.push(format!("`{}` lacks `{required}`", element.name));
        }
    }
}

/// The element that a text begins with, and what is behind it. Knows as much of XML as JUnit needs.
fn element(text: &str) -> Result<(Element, &str), String> {
    let (head, mut rest) = text
        .strip_prefix('<')
        .and_then(|text| text.split_once('>'))
        .ok_or_else(|| format!("no element: {text:.40}"))?;
    let is_empty = head.ends_with('/');
    let head = head.trim_end_matches('/');
    let (name, attributes) = head.split_once(' ').unwrap_or((head, ""));
    let attributes = read_attributes(attributes)?;
    let mut read = Element { name: name.to_owned(), attributes, children: Vec::new() };
    if is_empty {
        return Ok((read, rest));
    }
    loop {
        let at = rest.find('<').ok_or_else(|| format!("`{name}` has no end"))?;
        escaped(&rest[..at])?;
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("</") {
            let (end, after) = after.split_once('>').unwrap_or((after, ""));
            let is_own = end == name;
            return if is_own {
                Ok((read, after))
            } else {
                Err(format!("`{name}` ends as `{end}`"))
            };
        }
        let (child, after) = element(rest)?;
        read.children.push(child);
        rest = after;
    }
}

fn read_attributes(mut text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut all = BTreeMap::new();
    while !text.trim().is_empty() {
        let wrong = || format!("attributes `{text}`");
        let (name, rest) = text.trim_start().split_once("=\"").ok_or_else(wrong)?;
        let (value, rest) = rest.split_once('"').ok_or_else(wrong)?;
        escaped(value)?;
        if all.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(format!("`{name}` is there twice"));
        }
        text = rest;
    }
    Ok(all)
}

/// Whether a text has no `&` but those of escapes, and no character that XML 1.0 cannot hold.
fn escaped(text: &str) -> Result<(), String> {
    let is_bad = |it: char| it.is_control() && !matches!(it, '\n' | '\t' | '\r');
    if let Some(bad) = text.chars().find(|it| is_bad(*it)) {
        return Err(format!("{bad:?} in `{text}`"));
    }
    let mut after = text.split('&').skip(1);
    let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
    match after.find(|after| !known.iter().any(|name| after.starts_with(name))) {
        Some(after) => Err(format!("`&{after:.20}` is no escape")),
        None => Ok(()),
    }
}

#[test]
fn what_services_would_refuse() {
    let junit_of = |inner: &str, totals: &str| {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        junit(&format!(
            "{head}<testsuites><testsuite name=\"t\" {totals}>{inner}</testsuite></testsuites>\n"
        ))
    };
    let (case, totals) =
        ("<testcase name=\"a\"></testcase>", "tests=\"1\" failures=\"0\" errors=\"0\"");
    assert_eq!(junit_of(case, totals), [""; 0]);
    for (inner, totals) in [
        (case, "tests=\"2\" failures=\"0\" errors=\"0\""),
        ("<testcase></testcase>", totals),
        ("<testcase name=\"a & b\"></testcase>", totals),
        ("<testcase name=\"a\"><finding></finding></testcase>", totals),
        ("<testcase name=\"a\" line=\"3\"></testcase>", totals),
        ("<testcase name=\"a\">", totals),
    ] {
        assert!(!junit_of(inner, totals).is_empty(), "{inner} {totals}");
    }
    let right = "::error file=a b.cpp,line=3,col=2,title=over-pop::50%25 %0A more: than";
    assert_eq!((annotation(right), annotation("fail a: 1 finding")), (None, None));
    for line in ["::error file=a.cpp", "::fault file=a::b", "::error line=0::b", "::error f=1::b"] {
        assert!(annotation(line).is_some(), "{line}");
    }
    let mut issue = serde_json::json!({
        "description": "", "check_name": "", "fingerprint": "1", "severity": "major",
        "location": { "path": "a", "lines": { "begin": 1 } },
    });
    assert_eq!(gitlab(&serde_json::json!([issue])), [""; 0]);
    assert_eq!(gitlab(&serde_json::json!([issue, issue])).len(), 1);
    issue["severity"] = "error".into();
    assert_eq!(gitlab(&serde_json::json!([issue])).len(), 1);
    let log = serde_json::json!({ "version": "2.1.0", "runs": [{
        "tool": { "driver": { "name": "t", "rules": [] } },
        "results": [{ "ruleId": "over-pop", "message": { "text": "" }, "line": 3 }],
    }] });
    assert_eq!(sarif(&log).len(), 2, "a rule that is not there, a property that SARIF has not");
}
