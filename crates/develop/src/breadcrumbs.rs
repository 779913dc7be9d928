//! `breadcrumbs.jsonl`: one line for each event, so that people and tools can hand work over.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tilewright_run::record::{Breadcrumb, BreadcrumbEvent, Failure, Stages};

use crate::state::unwritable;

/// The file, in the operation's folder.
const FILE: &str = "breadcrumbs.jsonl";
/// Who writes these lines.
const AGENT: &str = "tilewright stages";

/// A line of which only the event is known.
fn line(operation: &str, event: BreadcrumbEvent) -> Breadcrumb {
    Breadcrumb {
        ts: now(),
        event,
        agent: AGENT.to_owned(),
        operation: operation.to_owned(),
        stage: None,
        passed: None,
        regressions: None,
    }
}

/// A run has started.
pub(crate) fn start(directory: &Path, operation: &str) -> Result<(), Failure> {
    append(directory, &[line(operation, BreadcrumbEvent::Start)])
}

/// A run has ended: a line for each stage, and one for all.
pub(crate) fn complete(directory: &Path, stages: &Stages) -> Result<(), Failure> {
    let operation = &stages.operation;
    let tests = stages.stages.iter().map(|stage| Breadcrumb {
        stage: Some(stage.clone()),
        ..line(operation, BreadcrumbEvent::Test)
    });
    let last = Breadcrumb {
        passed: Some(stages.passed),
        regressions: Some(stages.regressions.clone()),
        ..line(operation, BreadcrumbEvent::Complete)
    };
    append(directory, &tests.chain([last]).collect::<Vec<_>>())
}

fn append(directory: &Path, lines: &[Breadcrumb]) -> Result<(), Failure> {
    let path = directory.join(FILE);
    let text: String =
        lines.iter().map(|line| serde_json::to_string(line).expect("plain JSON") + "\n").collect();
    let file = OpenOptions::new().append(true).create(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| unwritable(&path, &error))
}

fn now() -> String {
    #[expect(clippy::disallowed_methods, reason = "lines say when they were written")]
    let now = SystemTime::now();
    timestamp(now.duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// ISO 8601 in UTC, from the time since 1970.
fn timestamp(since: Duration) -> String {
    let seconds = since.as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // The calendar's cycle of 400 years, in years that begin in March: the leap day comes last.
    let from_march_0000 = days + 719_468;
    let (era, day) = (from_march_0000 / 146_097, from_march_0000 % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199, "2024-02-29T23:59:59.000Z"),
            (4_102_444_800, "2100-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(Duration::from_secs(seconds)), text);
        }
    }
}
