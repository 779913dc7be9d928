//! Several runs beside each other: each as `check` shows one, then what differs.

use annotate_snippets::renderer::AnsiColor;

use super::figures::{count, counted};
use super::{Paint, Prints, check};
use crate::record::{Devices, Diff, FindingDifference, LineDifference, OutputDifference, Run};

/// What `tilewright check --device A,B` shows.
pub fn devices(devices: &Devices, prints: Prints, paint: Paint) -> String {
    let mut text = String::new();
    for run in &devices.runs {
        let device = paint.strong(&run.request.device);
        text += &format!("{device}\n{}\n", check(run, prints, paint));
    }
    let names: Vec<&str> = devices.runs.iter().map(|run| run.request.device.as_str()).collect();
    text += &format!("{} against each other:\n", names.join(" and "));
    for output in &devices.outputs {
        text += &output_line(output, paint);
    }
    for finding in &devices.findings {
        text += &finding_line(finding, paint);
    }
    if devices.findings.is_empty() {
        text += " findings: the same on all\n";
    }
    text
}

fn output_line(output: &OutputDifference, paint: Paint) -> String {
    let OutputDifference { name, between: [first, other], elements, differing, .. } = output;
    let name = paint.strong(name);
    if *differing == 0 {
        return format!(" {name}: every bit is the same for {first} and {other}\n");
    }
    let bound = match output.in_bound {
        Some(true) => "both inside their bounds",
        Some(false) => "not both inside their bounds",
        None => "not both compared with a reference",
    };
    let all = counted(*elements, "element");
    let (most, at) = (output.max_abs_difference.0, output.first_index.unwrap_or(0));
    format!(
        " {name}: {differing} of {all} differ in bits between {first} and {other}, by at most \
         {most:.3e}, first at {at}; {bound}\n"
    )
}

fn finding_line(finding: &FindingDifference, paint: Paint) -> String {
    let FindingDifference { id, title, place, found_in, .. } = finding;
    let only = paint.bold(AnsiColor::Yellow, &format!("only {}", found_in.join(", ")));
    let place = place.as_deref().map_or(String::new(), |place| format!(" ({place})"));
    format!(" {only}: {id}: {title}{place}\n")
}

/// What `tilewright diff` shows.
pub fn diff(diff: &Diff, paint: Paint) -> String {
    let [first, other] = &diff.runs;
    let word = |run: &Run| run.verdict.name().to_owned();
    let mut text = String::new();
    let mut row = |what: &str, [a, b]: [String; 2], more: String| {
        let more = if a == b { "the same".to_owned() } else { more };
        text += &format!(" {what:<9} {a:<18} {b:<18} {more}\n");
    };
    row("", ["A".to_owned(), "B".to_owned()], String::new());
    row("verdict", [word(first), word(other)], "differs".to_owned());
    let change = 100.0 * (other.cycles as f64 / first.cycles.max(1) as f64 - 1.0);
    let cycles = [first, other].map(|run| count(run.cycles));
    row("cycles", cycles, format!("{change:+.1} %"));
    let findings = [first, other].map(|run| run.findings.len().to_string());
    row("findings", findings, "differ".to_owned());
    row("digest", [first, other].map(|run| run.digest.clone()), "differs".to_owned());
    let names = diff.names.iter().zip(["A", "B"]);
    let heads: String = names.map(|(name, short)| format!(" {short}: {name}\n")).collect();
    let mut text = format!("{heads}{text}");
    for output in &diff.outputs {
        let between = ["A", "B"].map(str::to_owned);
        text += &output_line(&OutputDifference { between, ..output.clone() }, paint);
    }
    diff.other_outputs.iter().for_each(|name| text += &format!(" {name}: only one has it\n"));
    diff.findings.iter().for_each(|finding| text += &finding_line(finding, paint));
    text += &lines(&diff.lines, paint);
    text + if diff.is_same { "nothing differs\n" } else { "they differ\n" }
}

/// Lines that the terminal shows; the page and the JSON have more.
const LINES: usize = 8;

/// Cycles by line, where they differ most. Lines whose text could not be read say little here.
fn lines(all: &[LineDifference], paint: Paint) -> String {
    let mut text = String::new();
    let all: Vec<&LineDifference> = all.iter().filter(|it| !it.text.is_empty()).collect();
    if !all.is_empty() {
        text += " cycles by line, all cores, works + waits:\n";
    }
    for it in all.iter().take(LINES) {
        let [a, b] =
            [0, 1].map(|run| format!("{} + {}", count(it.work[run]), count(it.waits[run])));
        let place = it.line.iter().flatten().next().map_or(0, |line| *line);
        let place = paint.dim(&format!("{}:{place}", it.file));
        text += &format!("  {a:>20} -> {b:<20} {}  {place}\n", it.text);
    }
    if all.len() > LINES {
        text += &format!("  {} more in the answer of --json\n", all.len() - LINES);
    }
    text
}
