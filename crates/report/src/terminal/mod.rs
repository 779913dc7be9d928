//! Records drawn for a terminal: findings with their source lines, tables, summaries.
//!
//! Prints nothing itself: each function gives text, coloured or not as it is told.

mod cache;
mod capture;
mod checked;
mod comparison;
mod corpus;
mod doctor;
mod drawn;
mod exec;
mod explain;
pub(crate) mod figures;
mod finding;
mod grade;
mod list;
mod place;
mod printed;
mod replay;
mod repro;
mod run;
pub(crate) mod stages;
mod sweep;
mod vectors;
mod width;

pub use cache::cache;
pub use capture::capture;
pub use checked::checked;
pub use comparison::{devices, diff};
pub use corpus::corpus;
pub use doctor::doctor;
pub use drawn::{drawn, drawn_devices};
pub use exec::exec;
pub use explain::{findings, manual};
pub use finding::finding;
pub use grade::grade;
pub use list::list;
pub use printed::Prints;
pub use replay::replay;
pub use repro::repro;
pub use run::{check, reason, run};
pub use stages::{new, stages};
pub use sweep::sweep;
pub use vectors::vectors;
pub use width::wrapped;

use annotate_snippets::Renderer;
use annotate_snippets::renderer::{AnsiColor, Style};

use self::place::place;
use self::width::table;
use crate::record::Failure;

/// Whether text carries colour codes, and how wide it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Text alone.
    Plain,
    /// Text with ANSI codes.
    Colour,
    /// Text for a terminal.
    Terminal {
        /// Its width.
        columns: u16,
        /// Whether it takes ANSI codes.
        is_coloured: bool,
    },
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
        if self.is_coloured() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn is_coloured(self) -> bool {
        match self {
            Paint::Plain => false,
            Paint::Colour => true,
            Paint::Terminal { is_coloured, .. } => is_coloured,
        }
    }

    /// How wide text may be, if that is known.
    fn columns(self) -> Option<u16> {
        match self {
            Paint::Plain | Paint::Colour => None,
            Paint::Terminal { columns, .. } => Some(columns),
        }
    }

    fn renderer(self) -> Renderer {
        if self.is_coloured() { Renderer::styled() } else { Renderer::plain() }
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
