//! How far an operation is, as a page for people: Markdown or HTML.

use std::fmt::Write as _;

use crate::html::escape;
use crate::record::{Stage, StageStatus, Stages};
use crate::terminal::stages::{change, place};

/// The columns of the table.
const HEAD: [&str; 7] =
    ["stage", "name", "status", "blocker", "finding", "time", "since the last run"];

/// A page in Markdown.
pub fn markdown(stages: &Stages) -> String {
    let mut text = format!("# {}\n\n{}\n\n", escaped(&stages.operation), summary(stages));
    let _ = writeln!(text, "| {} |", HEAD.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(HEAD.len()));
    for stage in &stages.stages {
        let cells: Vec<String> = cells(stage).iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    for stage in failing(stages) {
        let help = stage.finding.as_ref().and_then(|finding| finding.help.clone());
        help.iter().for_each(|help| {
            let _ = writeln!(text, "\nNext, for stage {}: {}", stage.number, escaped(help));
        });
    }
    text
}

/// A page in HTML that needs no other file.
pub fn html(stages: &Stages) -> String {
    let name = escape(&stages.operation);
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{name}: stages\
         </title>\n<style>{STYLE}</style>\n<h1>{name}</h1>\n<p>{}</p>\n<table>\n<tr>",
        escape(&summary(stages))
    );
    HEAD.iter().for_each(|head| text += &format!("<th>{head}</th>"));
    text += "</tr>\n";
    for stage in &stages.stages {
        let _ = write!(text, "<tr class=\"{}\">", stage.status.name());
        cells(stage).iter().for_each(|cell| text += &format!("<td>{}</td>", escape(cell)));
        text += "</tr>\n";
    }
    text += "</table>\n";
    for stage in failing(stages) {
        let Some(finding) = &stage.finding else { continue };
        let _ = write!(text, "<h2>Stage {}: {}</h2>\n<p>", stage.number, escape(&finding.id));
        let _ = writeln!(text, "{}</p>", escape(&finding.title));
        if let Some(help) = &finding.help {
            let _ = writeln!(text, "<p>{}</p>", escape(help));
        }
    }
    text + "</html>\n"
}

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em;max-width:70em}\
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.3em .6em;text-align:left;\
vertical-align:top}.pass td:nth-child(3){color:#1a7f37}.fail td:nth-child(3){color:#cf222e;\
font-weight:bold}.blocked,.not-run{color:#57606a}";

fn failing(stages: &Stages) -> impl Iterator<Item = &Stage> {
    stages.stages.iter().filter(|stage| stage.status == StageStatus::Fail)
}

fn summary(stages: &Stages) -> String {
    let mut text = format!("{} of {} stages pass.", stages.passed, stages.stages.len());
    if !stages.regressions.is_empty() {
        let numbers: Vec<String> = stages.regressions.iter().map(u32::to_string).collect();
        let _ = write!(text, " Regression: stage {} has passed before.", numbers.join(", "));
    }
    text
}

fn cells(stage: &Stage) -> [String; 7] {
    let none = || "-".to_owned();
    let finding = stage.finding.as_ref();
    [
        stage.number.to_string(),
        stage.name.clone(),
        stage.status.name().to_owned(),
        stage.blocker.clone().unwrap_or_else(none),
        finding.map_or_else(none, |it| format!("{} at {}", it.id, place(it))),
        format!("{:.1} s", stage.seconds.0),
        change(stage.change).to_owned(),
    ]
}

/// Text that Markdown takes for text, in one line.
fn escaped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().fold(String::new(), |mut text, c| {
        if matches!(c, '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#') {
            text.push('\\');
        }
        text.push(c);
        text
    })
}
