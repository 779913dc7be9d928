//! Arguments of `tilewright check`.

use std::path::PathBuf;

use clap::Args;

use super::{Explore, Form, FormatWord};

/// Arguments of `tilewright check`.
#[derive(Debug, Args)]
#[command(after_help = "\
The program runs watched by every tool, once or, with --seeds, under several schedules. What is
found comes first, with its lines; outputs are judged as `run` does, and shown only in the verdict.
Where a core has so little work that its loops
do not repeat, and the work is dealt out by an operation or a manifest's `split`, the program runs a
second time on fewer cores; --cores says how many there are and has it run once.

Several names are checked one after the other; a folder stands for all manifests and captures in it
and below. The exit code is that of the worst: 2 if one could not be run, 1 if something was found.
--format writes the result as services for continuous integration read it. --write-baseline writes
what is found to a file; with --baseline FILE only what is new is shown and counts.

Examples:
  tilewright check layernorm-fw --shape 64x128
  tilewright check examples/eltwise/program.toml --seeds 64
  tilewright check examples/eltwise examples/softmax
  tilewright check examples/eltwise examples/softmax --format sarif
  tilewright check examples/eltwise/program.toml --json | jq '.findings[].id'")]
pub struct Check {
    /// What to run.
    #[command(flatten)]
    pub explore: Explore,

    /// More operations, manifests, captures, and folders of manifests and captures
    #[arg(value_name = "MORE")]
    pub more: Vec<String>,

    /// Leave out what this file knows, as --write-baseline wrote it
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write all that was found to a file, for --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
}

impl Check {
    /// How to write the answer: the last form that was given.
    pub fn form(&self) -> Form {
        let forms = self.explore.run.format.iter().rev().find_map(|word| match word {
            FormatWord::Answer(form) => Some(*form),
            FormatWord::Values(_) => None,
        });
        forms.unwrap_or(if self.explore.run.json { Form::Json } else { Form::Terminal })
    }
}
