//! A run as one HTML file that needs nothing else: no network, no other file.
//!
//! The page is `template.html`, its look `style.css`, its drawing the
//! scripts beside this file, which run in one function.
//! This module gives them the run as JSON and makes one file of all.

mod data;
mod diff;
mod graph;
mod map;
mod source;
mod sweep;

pub use diff::diff_page;
pub use sweep::sweep_page;

use tilewright_machine::Architecture;
use tilewright_run::heat::HeatMap;

use crate::record::Run;
use crate::timeline::Timeline;

/// What a page is made of.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// What `tilewright run` answers.
    pub run: &'a Run,
    /// The programs, recorded with [`crate::timeline::Limits::PAGE`].
    pub timelines: &'a [Timeline],
    /// Where the errors of each output lie.
    pub heat: &'a [(String, HeatMap)],
    /// The chip.
    pub architecture: &'a Architecture,
    /// The lowest L1 address that a tensor takes.
    pub l1_lowest: u32,
}

/// The scripts of the page, in order: helpers, parts, and what draws them all.
const SCRIPTS: [&str; 6] = [
    include_str!("base.js"),
    include_str!("maps.js"),
    include_str!("timeline.js"),
    include_str!("chart.js"),
    include_str!("lines.js"),
    include_str!("report.js"),
];

/// The page as text.
pub fn page(page: &Page<'_>) -> String {
    let data = serde_json::to_string(&data::data(page)).expect("text keys and finite numbers");
    let request = &page.run.request;
    let title = format!("{} {} · {}", request.operation, request.shape, page.run.verdict.name());
    let mut text = String::new();
    for part in include_str!("template.html").split('@') {
        match part {
            "title" => text += &escape(&title),
            "style" => text += include_str!("style.css"),
            "script" => SCRIPTS.iter().for_each(|script| text += script),
            // No string in it can end the script element or begin a comment.
            "data" => text += &data.replace('<', "\\u003c"),
            _ => text += part,
        }
    }
    text
}

/// Text that HTML takes for text.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
