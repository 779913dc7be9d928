//! Annotations of GitHub Actions: a line for each finding, which a runner shows at its place.

use super::{FAILED, Trouble, troubles};
use crate::record::{Checked, RunVerdict};
use crate::terminal;

/// Workflow commands (docs.github.com, "Workflow commands for GitHub Actions"), then a line for
/// each program.
pub fn github(checked: &Checked) -> String {
    let mut text = String::new();
    for program in &checked.programs {
        let found = troubles(program);
        text.extend(found.iter().map(annotation));
        if let Some(run) = &program.run {
            let reason = terminal::reason(run);
            let is_bare = found.is_empty() && run.verdict == RunVerdict::Fail;
            if is_bare {
                text += &format!("::error title={FAILED}::{}\n", data(&reason));
            }
            text += &format!("{} {}: {reason}\n", run.verdict.name(), program.name);
        }
    }
    text
}

fn annotation(trouble: &Trouble<'_>) -> String {
    let mut properties = Vec::new();
    if let Some(place) = &trouble.place {
        properties.push(format!("file={}", property(&place.file)));
        properties.push(format!("line={}", place.line));
        if place.column > 0 {
            properties.push(format!("col={}", place.column));
        }
        if place.end_column > place.column {
            properties.push(format!("endColumn={}", place.end_column));
        }
    }
    properties.push(format!("title={}", property(trouble.id)));
    format!("::error {}::{}\n", properties.join(","), data(&trouble.message()))
}

/// Text behind `::`, in which line ends are written as escapes.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, in which separators are as well.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
