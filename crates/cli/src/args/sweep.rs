//! Arguments of `tilewright sweep`.

use std::path::PathBuf;

use clap::Args;

use super::Threads;

/// Arguments of `tilewright sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
The file names a subject (an operation, a manifest or a capture) and lists of shapes, formats,
inputs, data_seeds, seeds, cores and options; every combination is one run: docs/src/sweep.md. Rows
go to results.jsonl as they come: the same command continues after an interruption, and ends with
the same table, results.csv, and a page with heat maps, sweep.html. The smallest failing run is made
smaller while it fails in the same way. With --json there is one line a run, then the summary. The
exit code is 1 if a run fails, hangs or cannot run, else 0.

Examples:
  tilewright sweep examples/sweep/layernorm.toml
  tilewright sweep examples/sweep/layernorm.toml --output sweep --json | tail -n 1 | jq .worst")]
pub struct Sweep {
    /// The sweep file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The folder for the results [default: the file's name without its ending, in this folder]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Host threads; they change no result
    #[arg(long, value_name = "N|auto", default_value = "auto", allow_negative_numbers = true)]
    pub threads: Threads,

    /// Print one JSON object a line: the runs, then the summary
    #[arg(long)]
    pub json: bool,
}
