//! JUnit's XML, as most services read it: a test for each program, a failure for each that fails.

use super::{Trouble, troubles};
use crate::record::{Checked, CheckedProgram, RunVerdict};
use crate::terminal;

/// One suite with a test case for each program.
pub fn junit(checked: &Checked) -> String {
    let is = |wanted: fn(RunVerdict) -> bool| {
        checked.programs.iter().filter(|program| wanted(program.verdict())).count()
    };
    let (failures, errors) = (is(is_failure), is(|verdict| verdict == RunVerdict::Error));
    let tests = checked.programs.len();
    let totals = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    let cases: String = checked.programs.iter().map(case).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {totals}>\n  <testsuite \
         name=\"tilewright\" {totals} skipped=\"0\">\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

fn is_failure(verdict: RunVerdict) -> bool {
    match verdict {
        RunVerdict::Fail | RunVerdict::Hang => true,
        RunVerdict::Pass | RunVerdict::Unjudged | RunVerdict::Paused | RunVerdict::Error => false,
    }
}

fn case(program: &CheckedProgram) -> String {
    let name = escaped(&program.name);
    let seconds = program.run.as_ref().map_or(0.0, |run| run.wall_seconds);
    let start =
        format!("    <testcase classname=\"tilewright\" name=\"{name}\" time=\"{seconds:.3}\"");
    let found = troubles(program);
    let reason = match (&program.run, &program.failure) {
        (Some(run), _) => terminal::reason(run),
        (None, Some(failure)) => failure.message.clone(),
        (None, None) => String::new(),
    };
    let element = match program.verdict() {
        verdict if is_failure(verdict) => "failure",
        RunVerdict::Error => "error",
        // JUnit knows no verdict between passed and failed; what was judged is said beside it.
        _ => {
            return format!(
                "{start}>\n      <system-out>{}</system-out>\n    </testcase>\n",
                escaped(&reason)
            );
        }
    };
    let ids: Vec<&str> = found.iter().map(|trouble| trouble.id).collect();
    let kind = escaped(&ids.join(" "));
    let text: Vec<String> = found.iter().map(described).collect();
    let (message, text) = (escaped(&reason), escaped(&text.join("\n\n")));
    let inner = format!("<{element} type=\"{kind}\" message=\"{message}\">{text}</{element}>");
    format!("{start}>\n      {inner}\n    </testcase>\n")
}

fn described(trouble: &Trouble<'_>) -> String {
    match &trouble.place {
        Some(place) => {
            format!("{}:{}: {}: {}", place.file, place.line, trouble.id, trouble.message())
        }
        None => format!("{}: {}", trouble.id, trouble.message()),
    }
}

/// Text of an element or attribute; XML has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut all = String::new();
    for character in text.chars() {
        match character {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            '\n' | '\t' => all.push(character),
            _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                all.push('\u{fffd}');
            }
            _ => all.push(character),
        }
    }
    all
}
