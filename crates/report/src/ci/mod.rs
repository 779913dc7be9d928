//! What was checked, in the forms that services for continuous integration read.

mod github;
mod gitlab;
mod junit;
mod sarif;

pub use github::github;
pub use gitlab::gitlab;
pub use junit::junit;
pub use sarif::sarif;

use tilewright_run::baseline::fingerprint;

use crate::record::{Caller, CheckedProgram, Finding, Place};

/// Something that is wrong at a place, whether a run or the attempt to run showed it.
struct Trouble<'a> {
    /// The program it is of.
    program: &'a str,
    /// The kind of finding, or `could-not-run`.
    id: &'a str,
    /// What is wrong.
    title: &'a str,
    /// The finding, if it is one.
    finding: Option<&'a Finding>,
    help: Option<&'a str>,
    place: Option<Spot>,
}

/// A place in a file, counted from 1.
struct Spot {
    file: String,
    line: u32,
    column: u32,
    /// The column behind the last character.
    end_column: u32,
}

/// What the id is of programs that could not be run.
const COULD_NOT_RUN: &str = "could-not-run";
/// And of a result that no tool explains.
const FAILED: &str = "failed";

impl Spot {
    fn of_finding(finding: &Finding) -> Option<Spot> {
        let Caller { file, line, column, end_column } = finding.own_line()?;
        Some(Spot { file, line, column, end_column })
    }

    fn of_place(place: &Place) -> Spot {
        let (line, column) = (place.line, place.column);
        Spot { file: place.file.clone(), line, column, end_column: column + place.width }
    }
}

/// Everything that is wrong with a program.
fn troubles(program: &CheckedProgram) -> Vec<Trouble<'_>> {
    let name = program.name.as_str();
    let mut all: Vec<Trouble<'_>> = program
        .findings()
        .map(|finding| Trouble {
            program: name,
            id: &finding.id,
            title: &finding.title,
            finding: Some(finding),
            help: finding.help.as_deref(),
            place: Spot::of_finding(finding),
        })
        .collect();
    if let Some(failure) = program.failure.as_ref().filter(|it| it.finding.is_none()) {
        let whole = Trouble {
            program: name,
            id: COULD_NOT_RUN,
            title: &failure.message,
            finding: None,
            help: failure.help.as_deref(),
            place: None,
        };
        let places = failure.places.iter().map(|place| Trouble {
            program: name,
            id: COULD_NOT_RUN,
            title: &place.message,
            finding: None,
            help: place.help.as_deref(),
            place: Some(Spot::of_place(place)),
        });
        all.extend(places);
        if failure.places.is_empty() {
            all.push(whole);
        }
    }
    all
}

impl Trouble<'_> {
    /// What is wrong, where, and what to do: a service shows one line beside it, and the help may
    /// name others.
    fn message(&self) -> String {
        let mut text = self.title.to_owned();
        for (number, mark) in self.finding.iter().flat_map(|finding| finding.numbered_marks()) {
            let place = format!("{}:{}: ", mark.file, mark.line);
            let place = if mark.line > 0 { place } else { String::new() };
            text += &format!("\n{number}{place}{}", mark.role);
        }
        for fact in self.finding.iter().flat_map(|finding| &finding.facts) {
            text += &format!("\n{fact}");
        }
        if let Some(help) = self.help {
            text += &format!("\nhelp: {help}");
        }
        text
    }

    /// The same for the same fault in other runs, and after lines above it have changed: no line,
    /// no cycle.
    fn fingerprint(&self) -> String {
        let file = self.place.as_ref().map_or("", |place| &place.file);
        fingerprint([self.program, self.id, file, self.title])
    }
}
