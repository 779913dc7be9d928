//! Findings that a comment in the source allows: `// tilewright: allow(over-pop): the reason`.
//!
//! A comment behind code is about its line, a comment on a line of its own about the next line with
//! code. What was allowed is counted; a comment that allows nothing is noted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tilewright_check::{FindingId, Tools};
use tilewright_metal::nearest;

use crate::record::{Run, RunVerdict};

/// How a comment begins.
const MARK: &str = "tilewright: allow(";

/// A kind of finding that a comment allows.
#[derive(Debug, PartialEq, Eq)]
struct CommentAllowance {
    id: FindingId,
    reason: String,
    /// The line of the comment.
    line: u32,
    /// The line that it is about.
    covers: u32,
    is_used: bool,
}

/// What the comments of a file allow, and what is wrong with them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Comments {
    allowances: Vec<CommentAllowance>,
    problems: Vec<String>,
}

/// Takes out of a run what comments in its sources allow. `sources` are looked at for comments that
/// allow nothing; the files of findings are looked at in any case.
pub(crate) fn apply(run: &mut Run, sources: BTreeSet<PathBuf>, tools: &Tools) {
    let lines = run.findings.iter().filter_map(|finding| finding.own_line());
    let files = lines.map(|line| line.file.into()).chain(sources);
    // A finding names its file as the user did, and the compiler by its whole path.
    let files: BTreeSet<PathBuf> = files.filter_map(|file| file.canonicalize().ok()).collect();
    let mut all: BTreeMap<PathBuf, Comments> = BTreeMap::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        if text.contains(MARK) {
            all.insert(file, comments(&text));
        }
    }
    if all.is_empty() {
        return;
    }
    run.allowed += run.leave_out(|finding| {
        let Some(line) = finding.own_line() else { return false };
        let Ok(file) = Path::new(&line.file).canonicalize() else { return false };
        let Some(comments) = all.get_mut(&file) else { return false };
        let mut allowances = comments.allowances.iter_mut();
        let allows =
            |it: &&mut CommentAllowance| it.covers == line.line && it.id.name() == finding.id;
        allowances.find(allows).map(|it| it.is_used = true).is_some()
    });
    // A run that did not complete has not shown all that it would.
    let is_whole =
        !matches!(run.verdict, RunVerdict::Hang | RunVerdict::Error | RunVerdict::Paused);
    let is_stale = |it: &CommentAllowance| {
        let is_on = it.id.tool().is_some_and(|tool| tools.has(tool));
        !it.is_used && is_whole && is_on
    };
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    for (file, comments) in all {
        let shown = file.strip_prefix(&here).unwrap_or(&file);
        run.notes.extend(notes(shown, comments, &is_stale));
    }
}

/// What to say of a file's comments.
fn notes(
    file: &Path,
    comments: Comments,
    is_stale: &impl Fn(&CommentAllowance) -> bool,
) -> impl Iterator<Item = String> {
    let file = file.display().to_string();
    let told = comments.allowances.iter().filter_map(|it| {
        let CommentAllowance { id, reason, line, covers, is_used } = it;
        let place = format!("{file}:{line}: allow({id})");
        if *is_used {
            Some(format!("{place}: allowed at line {covers} and not listed: {reason}"))
        } else if is_stale(it) {
            Some(format!("{place} is stale: nothing of this kind was found at line {covers}"))
        } else {
            None
        }
    });
    let told: Vec<String> = told.collect();
    let problems = comments.problems.into_iter().map(move |it| format!("{file}:{it}"));
    told.into_iter().chain(problems)
}

/// The comments of a source file.
fn comments(text: &str) -> Comments {
    let mut found = Comments::default();
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let Some((before, after)) = line.split_once(MARK) else { continue };
        // Only in a comment: a text of the program may say the same.
        let Some((code, _)) = before.split_once("//") else { continue };
        let covers = if code.trim().is_empty() {
            let next = lines[index + 1..].iter().position(|line| is_code(line));
            next.map_or(index, |next| index + 1 + next)
        } else {
            index
        };
        let (number, covers) = (index as u32 + 1, covers as u32 + 1);
        match parse(after) {
            Ok((ids, reason)) => found.allowances.extend(ids.into_iter().map(|id| {
                let reason = reason.clone();
                CommentAllowance { id, reason, line: number, covers, is_used: false }
            })),
            Err(problem) => found.problems.push(format!("{number}: {problem}")),
        }
    }
    found
}

/// Whether a line has anything but a comment.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("//")
}

/// What follows `allow(`: kinds of findings, and the reason.
fn parse(after: &str) -> Result<(Vec<FindingId>, String), String> {
    let (names, rest) =
        after.split_once(')').ok_or("allow(: the closing parenthesis is missing")?;
    let ids = names.split(',').map(|name| id(name.trim())).collect::<Result<Vec<_>, _>>()?;
    let reason = rest.trim_start().strip_prefix(':').unwrap_or_default().trim();
    if reason.is_empty() {
        return Err(format!(
            "allow({names}) gives no reason, and allows nothing: write `// {MARK}{names}): why`"
        ));
    }
    Ok((ids, reason.to_owned()))
}

fn id(name: &str) -> Result<FindingId, String> {
    match FindingId::from_name(name) {
        Some(id) if id.tool().is_some() => Ok(id),
        Some(id) => Err(format!("allow({id}): it ends the run, and stays a finding")),
        None => {
            let near = nearest(name, FindingId::ALL.iter().map(|id| id.name()));
            let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            Err(format!("allow({name}): there is no such finding{help}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &str) -> Vec<(&'static str, u32, u32, String)> {
        let found = comments(text);
        assert_eq!(found.problems, [""; 0], "{text}");
        let all = found.allowances.into_iter();
        all.map(|it| (it.id.name(), it.line, it.covers, it.reason)).collect()
    }

    #[test]
    fn a_comment_covers_its_line_or_the_next_with_code() {
        let behind = "a();\nb(); // tilewright: allow(over-pop): scratch\n";
        assert_eq!(allowed(behind), [("over-pop", 2, 2, "scratch".to_owned())]);
        let above = "// tilewright: allow(over-pop, over-push): two of them\n// more\n\n  b();\n";
        let reason = || "two of them".to_owned();
        assert_eq!(allowed(above), [("over-pop", 1, 4, reason()), ("over-push", 1, 4, reason())]);
        assert_eq!(allowed("print(\"tilewright: allow(over-pop): x\");\n"), []);
    }

    #[test]
    fn what_is_wrong_with_a_comment_is_said() {
        let problem = |text: &str| comments(text).problems.join("\n");
        assert!(problem("// tilewright: allow(over-pop)\n").contains("gives no reason"));
        assert!(problem("// tilewright: allow(over-pop:\n").contains("closing parenthesis"));
        assert!(
            problem("// tilewright: allow(over-pob): x\n").contains("did you mean `over-pop`?")
        );
        assert!(problem("// tilewright: allow(kernel-panic): x\n").contains("it ends the run"));
    }
}
