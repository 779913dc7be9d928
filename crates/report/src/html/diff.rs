//! Two runs beside each other as one HTML file, which needs no script.

use super::escape;
use crate::record::{Diff, FindingDifference, OutputDifference, Run};

/// The page as text.
pub fn diff_page(diff: &Diff) -> String {
    let title = format!("{} and {}", diff.names[0], diff.names[1]);
    let (class, summary) = if diff.is_same {
        ("same", "Nothing differs: verdict, findings, cycles and every bit of every output.")
    } else {
        ("differs", "They differ.")
    };
    let mut text = String::new();
    for part in include_str!("diff.html").split('@') {
        match part {
            "title" => text += &escape(&title),
            "class" => text += class,
            "summary" => text += summary,
            "facts" => text += &facts(diff),
            "outputs" => text += &outputs(diff),
            "findings" => text += &findings(&diff.findings),
            // What begins with an at sign and is no name: a rule of the style.
            rule if rule.starts_with("media") => text += &format!("@{rule}"),
            other => text += other,
        }
    }
    text
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
        row("cycles", &|run| run.cycles.to_string(), &format!("{change:+.1} %")),
        row("digest of all events", &|run| run.digest.clone(), "differs"),
    ]
    .concat()
}

fn outputs(diff: &Diff) -> String {
    if diff.outputs.is_empty() && diff.other_outputs.is_empty() {
        return "<p>One of the two did not come to its end, or has no output.</p>".to_owned();
    }
    let row = |it: &OutputDifference| {
        let ratio = |run: &Run| match run.outputs.get(&it.name) {
            Some(output) => format!("{:.3}", output.worst_ratio.0),
            None => "not compared".to_owned(),
        };
        let class = if it.differing == 0 { "same" } else { "differs" };
        format!(
            "<tr><td><code>{}</code></td><td class=\"num {class}\">{} of {}</td>\
             <td class=num>{:.3e}</td><td class=num>{}</td><td class=num>{}</td></tr>\n",
            escape(&it.name),
            it.differing,
            it.elements,
            it.max_abs_difference.0,
            ratio(&diff.runs[0]),
            ratio(&diff.runs[1]),
        )
    };
    let rows: String = diff.outputs.iter().map(row).collect();
    let only = diff.other_outputs.iter();
    let only: String =
        only.map(|name| format!("<p>Only one has <code>{}</code>.</p>", escape(name))).collect();
    format!(
        "<table><tr><th>output</th><th>elements that differ</th><th>by at most</th>\
         <th>A: error/bound</th><th>B: error/bound</th></tr>\n{rows}</table>{only}"
    )
}

fn findings(all: &[FindingDifference]) -> String {
    if all.is_empty() {
        return "<p>None: both have the same.</p>".to_owned();
    }
    let card = |it: &FindingDifference| {
        let place = it.place.as_deref().unwrap_or_default();
        let help = it.help.as_deref();
        let help = help.map_or(String::new(), |it| format!("<p><b>help:</b> {}</p>", escape(it)));
        format!(
            "<div class=card><p class=soft>only {}</p><p><code>{}</code> <b>{}</b></p>\
             <p class=mono>{}</p>{help}</div>\n",
            escape(&it.found_in.join(", ")),
            escape(&it.id),
            escape(&it.title),
            escape(place),
        )
    };
    all.iter().map(card).collect()
}
