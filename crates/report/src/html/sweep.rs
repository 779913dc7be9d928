//! A sweep as one HTML file: a heat map over any two of its axes.

use serde::Serialize;
use tilewright_run::sweep::{Plan, SweepRow, Swept};

use super::escape;

/// An axis and its values.
#[derive(Serialize)]
struct Axis {
    name: String,
    values: Vec<String>,
}

#[derive(Serialize)]
struct Data<'a> {
    axes: Vec<Axis>,
    rows: &'a [SweepRow],
}

/// The page as text.
pub fn sweep_page(plan: &Plan, swept: &Swept) -> String {
    let axes = plan.axes().into_iter().map(|(name, values)| Axis { name, values }).collect();
    let data = Data { axes, rows: &swept.rows };
    let data =
        serde_json::to_string(&data).expect("text keys, and numbers that JSON lacks are text");
    let summary = &swept.summary;
    let summary = format!(
        "{} runs: {} pass, {} fail, {} hang, {} unjudged, {} could not run.",
        summary.runs, summary.pass, summary.fail, summary.hang, summary.unjudged, summary.error
    );
    let title = format!("Sweep of {}", plan.subject);
    let mut text = String::new();
    for part in include_str!("sweep.html").split('@') {
        match part {
            "title" => text += &escape(&title),
            "summary" => text += &escape(&summary),
            // No string in it can end the script element or begin a comment.
            "data" => text += &data.replace('<', "\\u003c"),
            _ => text += part,
        }
    }
    text
}
