//! GitLab's code quality report (docs.gitlab.com, "Code Quality report format").

use serde::Serialize;

use super::{Trouble, troubles};
use crate::json;
use crate::record::Checked;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'a str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// A list of issues. What has no line is put at the first line of its program's file.
pub fn gitlab(checked: &Checked) -> String {
    let all: Vec<Trouble<'_>> = checked.programs.iter().flat_map(troubles).collect();
    let issues: Vec<Issue<'_>> = all.iter().map(issue).collect();
    json::text(&issues)
}

fn issue<'a>(trouble: &'a Trouble<'a>) -> Issue<'a> {
    let (path, begin) =
        trouble.place.as_ref().map_or((trouble.program, 1), |it| (it.file.as_str(), it.line));
    Issue {
        description: trouble.message(),
        check_name: trouble.id,
        fingerprint: trouble.fingerprint(),
        severity: "major",
        location: Location { path, lines: Lines { begin } },
    }
}
