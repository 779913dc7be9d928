//! Follows the help of a finding: puts a call in its place, or changes a count.

use tilewright_check::Finding;

/// What a help says to do.
pub struct Advice {
    pub file: String,
    /// Counted from 1.
    line: usize,
    action: Action,
}

enum Action {
    /// A new line before it.
    Before(String),
    /// A new line after it.
    After(String),
    /// The count of its call.
    Count(String),
}

/// Reads the first action that a help names; nothing if it names none.
pub fn read(finding: &Finding) -> Option<Advice> {
    let help = finding.help.as_deref()?;
    call(finding, help).or_else(|| count(finding, help))
}

/// "call `cb_push_back` for 2 pages of `cb_a` after line 25 of reader.cpp", "call
/// `noc_async_read_barrier()` before (2)".
fn call(finding: &Finding, help: &str) -> Option<Advice> {
    let (name, rest) = help.strip_prefix("call `")?.split_once('`')?;
    let text = match rest.strip_prefix(" for ") {
        Some(pages) => {
            let (pages, rest) = pages.split_once(" page")?;
            let ring = rest.split('`').nth(1)?;
            format!("{name}({ring}, {pages});")
        }
        None => format!("{name};"),
    };
    if let Some((_, place)) = rest.split_once("before ") {
        let (file, line) = place_of(finding, place)?;
        return Some(Advice { file, line, action: Action::Before(text) });
    }
    let (file, line) = place_of(finding, rest.split_once("after ")?.1)?;
    Some(Advice { file, line, action: Action::After(text) })
}

/// "pop 1 page at line 36 of compute.cpp".
fn count(finding: &Finding, help: &str) -> Option<Advice> {
    let (_, rest) = help.split_once(' ')?;
    let (pages, _) = rest.split_once(" page")?;
    let pages = pages.split(' ').next_back()?.to_owned();
    let (file, line) = place_of(finding, rest.split_once(" at ")?.1)?;
    Some(Advice { file, line, action: Action::Count(pages) })
}

/// "line 25 of reader.cpp", "(2)".
fn place_of(finding: &Finding, place: &str) -> Option<(String, usize)> {
    if let Some(number) = place.strip_prefix('(') {
        let number: usize = number.split(')').next()?.parse().ok()?;
        let site = finding.marks.get(number - 1)?.site;
        let file = site.file.rsplit('/').next()?;
        return Some((file.to_owned(), site.line as usize));
    }
    let (line, rest) = place.strip_prefix("line ")?.split_once(" of ")?;
    let file = rest.split([' ', ',']).next()?;
    Some((file.to_owned(), line.parse().ok()?))
}

impl Advice {
    /// The text with the advice followed.
    pub fn follow(&self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        match &self.action {
            Action::Before(call) => lines.insert(self.line - 1, call.clone()),
            Action::After(call) => lines.insert(self.line, call.clone()),
            Action::Count(pages) => {
                let line = &mut lines[self.line - 1];
                if let Some((call, _)) = line.rsplit_once(", ") {
                    *line = format!("{call}, {pages});");
                }
            }
        }
        lines.join("\n")
    }
}
