//! Two runs beside each other as one HTML file, which needs no script.

use std::cmp::Ordering;

use super::escape;
use crate::record::{
    Diff, Finding, FindingDifference, LineDifference, Mark, OutputDifference, Run, RunVerdict,
};
use crate::terminal::figures::{count, counted, value};
use crate::terminal::reason;

/// The page as text; `reports` are addresses of pages about each run.
pub fn diff_page(diff: &Diff, reports: Option<[&str; 2]>) -> String {
    let title = format!("{} and {}", diff.names[0], diff.names[1]);
    let mut text = String::new();
    for part in include_str!("diff.html").split('@') {
        match part {
            "title" => text += &escape(&title),
            "summary" => text += &summary(diff),
            "a" => text += &named(diff, reports, 0),
            "b" => text += &named(diff, reports, 1),
            "lines" => text += &lines(&diff.lines),
            "facts" => text += &facts(diff),
            "outputs" => text += &outputs(diff),
            "findings" => text += &findings(diff),
            // What begins with an at sign and is no name: a rule of the style.
            rule if rule.starts_with("media") => text += &format!("@{rule}"),
            other => text += other,
        }
    }
    text
}

/// The name of a run, with a link to its report if there is one.
fn named(diff: &Diff, reports: Option<[&str; 2]>, place: usize) -> String {
    let name = escape(&diff.names[place]);
    let report = reports.map(|it| escape(it[place]).replace('"', "&quot;"));
    let link = report.map(|it| format!(" (<a href=\"{it}\">report</a>)"));
    format!("<code>{name}</code>{}", link.unwrap_or_default())
}

/// What a reviewer wants to know first, in whole sentences: how each run ended, then what differs.
fn summary(diff: &Diff) -> String {
    if diff.is_same {
        return "<p class=same><b>Nothing differs: verdict, findings, cycles and every bit of every \
                output.</b></p>"
            .to_owned();
    }
    let verdict = |(run, letter): (&Run, &str)| {
        let class = if run.verdict == RunVerdict::Pass { "same" } else { "differs" };
        let (name, why) = (run.verdict.name(), escape(&reason(run)));
        format!("<p class={class}><b>{letter}: {name}.</b> {why}.</p>\n")
    };
    let verdicts: String = diff.runs.iter().zip(["A", "B"]).map(verdict).collect();
    format!("{verdicts}<p>{}</p>", escape(&differences(diff)))
}

/// What differs, counted.
fn differences(diff: &Diff) -> String {
    let [first, other] = &diff.runs;
    let mut said = Vec::new();
    let only = |name: &String| {
        let is_only = |it: &&FindingDifference| it.found_in.iter().all(|found| found == name);
        diff.findings.iter().filter(is_only).count()
    };
    for (name, letter) in diff.names.iter().zip(["A", "B"]) {
        let count = only(name);
        if count > 0 && diff.names[0] != diff.names[1] {
            said.push(format!("{} only in {letter}.", counted(count as u64, "finding")));
        }
    }
    let changed = diff.outputs.iter().filter(|it| it.differing > 0).count();
    if !diff.outputs.is_empty() {
        said.push(format!("{changed} of {} outputs differ in bits.", diff.outputs.len()));
    }
    if first.cycles != other.cycles {
        said.push(format!("{} cycles against {}.", count(first.cycles), count(other.cycles)));
    }
    said.join(" ")
}

/// Cycles by line, where they differ.
fn lines(all: &[LineDifference]) -> String {
    if all.is_empty() {
        return "<p>The same on every line.</p>".to_owned();
    }
    let row = |it: &LineDifference| {
        let number = |run: usize| it.line[run].map_or("–".to_owned(), |line| line.to_string());
        let cell = |a: u64, b: u64| {
            let class = match a.cmp(&b) {
                Ordering::Less => "num differs",
                Ordering::Equal => "num",
                Ordering::Greater => "num same",
            };
            format!("<td class=num>{}</td><td class=\"{class}\">{}</td>", count(a), count(b))
        };
        format!(
            "<tr><td class=mono>{}</td><td class=num>{}</td><td class=num>{}</td>{}{}\
             <td class=code>{}</td></tr>\n",
            escape(&it.file),
            number(0),
            number(1),
            cell(it.work[0], it.work[1]),
            cell(it.waits[0], it.waits[1]),
            escape(&it.text),
        )
    };
    let rows: String = all.iter().map(row).collect();
    format!(
        "<div class=wide><table><tr><th>file</th><th>line in A</th><th>in B</th><th>works: A</th>\
         <th>B</th><th>waits: A</th><th>B</th><th>line</th></tr>\n{rows}</table></div>"
    )
}

fn facts(diff: &Diff) -> String {
    let [first, other] = &diff.runs;
    let row = |what: &str, fact: &dyn Fn(&Run) -> String, more: &str| {
        let (a, b) = (fact(first), fact(other));
        let (class, word) = if a == b { ("same", "the same") } else { ("differs", more) };
        let [a, b] = [a, b].map(|it| escape(&it));
        format!("<tr><th>{what}</th><td>{a}</td><td>{b}</td><td class={class}>{word}</td></tr>\n")
    };
    let change = 100.0 * (other.cycles as f64 / first.cycles.max(1) as f64 - 1.0);
    [
        row("shape", &|run| run.request.shape.clone(), "differs"),
        row("device", &|run| run.request.device.clone(), "differs"),
        row("verdict", &|run| run.verdict.name().to_owned(), "differs"),
        row("findings", &|run| run.findings.len().to_string(), "differ"),
        row("cycles (estimate)", &|run| count(run.cycles), &format!("{change:+.1} %")),
        row("digest", &|run| run.digest.clone(), "differs: not the same events at the same cycles"),
    ]
    .concat()
}

fn outputs(diff: &Diff) -> String {
    if diff.outputs.is_empty() && diff.other_outputs.is_empty() {
        return "<p>Not compared: one of the two runs did not complete, or has no output.</p>"
            .to_owned();
    }
    let row = |it: &OutputDifference| {
        let ratio = |run: &Run| match run.outputs.get(&it.name) {
            Some(output) => {
                let word = if output.in_bound { "inside" } else { "outside" };
                format!("{}, {word}", value(output.worst_ratio.0, 3))
            }
            None => "not compared".to_owned(),
        };
        let class = if it.differing == 0 { "same" } else { "differs" };
        format!(
            "<tr><td><code>{}</code></td><td class=\"num {class}\">{} of {}</td>\
             <td class=num>{}</td><td class=num>{}</td><td class=num>{}</td></tr>\n",
            escape(&it.name),
            count(it.differing),
            count(it.elements),
            value(it.max_abs_difference.0, 3),
            ratio(&diff.runs[0]),
            ratio(&diff.runs[1]),
        )
    };
    let rows: String = diff.outputs.iter().map(row).collect();
    let only = diff.other_outputs.iter();
    let only: String =
        only.map(|name| format!("<p>Only one has <code>{}</code>.</p>", escape(name))).collect();
    format!(
        "<div class=wide><table><tr><th>output</th><th>elements that differ</th><th>by at most</th>\
         <th>A: worst error/bound</th><th>B: worst error/bound</th></tr>\n{rows}\
         </table></div>{only}"
    )
}

fn findings(diff: &Diff) -> String {
    if diff.findings.is_empty() {
        return "<p>None: both have the same.</p>".to_owned();
    }
    let card = |it: &FindingDifference| {
        let help = it.help.as_deref();
        let help = help.map_or(String::new(), |it| format!("<p><b>help:</b> {}</p>", escape(it)));
        let all = diff.runs.iter().flat_map(|run| &run.findings);
        let whole = all.into_iter().find(|found| (&found.id, &found.title) == (&it.id, &it.title));
        format!(
            "<div class=card><p class=soft>only {}</p><p><code>{}</code> <b>{}</b></p>{}{help}\
             </div>\n",
            escape(&it.found_in.join(", ")),
            escape(&it.id),
            escape(&it.title),
            whole.map_or(String::new(), marks),
        )
    };
    diff.findings.iter().map(card).collect()
}

/// The lines that led to a finding, numbered as its help numbers them, with the kernel's own line.
fn marks(finding: &Finding) -> String {
    let place = |file: &str, line: u32| {
        let name = escape(file.rsplit('/').next().unwrap_or(file));
        format!("<span class=mono title=\"{}\">{name}:{line}</span>", escape(file))
    };
    let line = |(number, mark): (String, &Mark)| {
        let caller = mark.called_from.last();
        let caller = caller.map(|it| format!(", called from {}", place(&it.file, it.line)));
        let (role, here) = (escape(&mark.role), place(&mark.file, mark.line));
        format!("<p>{number}{role} {here}{}</p>", caller.unwrap_or_default())
    };
    finding.numbered_marks().map(line).collect()
}
