//! Records drawn for a terminal: findings with their source lines, tables, summaries.
//!
//! Prints nothing itself: each function gives text, coloured or not as it is told.

mod corpus;
mod doctor;
mod drawn;
mod explain;
mod figures;
mod finding;
mod list;
mod place;
mod replay;
mod repro;
mod run;
mod source;
mod vectors;

pub use corpus::corpus;
pub use doctor::doctor;
pub use drawn::drawn;
pub use explain::{findings, manual};
pub use finding::finding;
pub use list::list;
pub use replay::replay;
pub use repro::repro;
pub use run::{check, reason, run};
pub use vectors::vectors;

use annotate_snippets::renderer::{AnsiColor, Style};

use self::place::place;
use crate::record::Failure;

/// Whether text carries colour codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Text alone.
    Plain,
    /// Text with ANSI codes.
    Colour,
}

impl Paint {
    fn bold(self, colour: AnsiColor, text: &str) -> String {
        self.with(Style::new().bold().fg_color(Some(colour.into())), text)
    }

    fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    fn strong(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    fn with(self, style: Style, text: &str) -> String {
        match self {
            Paint::Plain => text.to_owned(),
            Paint::Colour => format!("{style}{text}{style:#}"),
        }
    }
}

/// Why a command could not run: the places that are wrong, then what it comes to.
pub fn failure(failure: &Failure, paint: Paint) -> String {
    if let Some(found) = &failure.finding {
        return finding(found, "", paint);
    }
    let places = failure.places.iter().map(|it| format!("{}\n", place(it, paint)));
    let mut text: String = places.collect();
    text += &format!("{}: {}\n", paint.bold(AnsiColor::Red, "error"), failure.message);
    if let Some(help) = &failure.help {
        text += &format!("{}: {help}\n", paint.bold(AnsiColor::Cyan, "help"));
    }
    text
}

/// A table without borders: a head, rows, and the columns whose numbers align to the right.
fn table(head: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header(head.to_vec());
    for row in rows {
        table.add_row(row.clone());
    }
    for column in right {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
