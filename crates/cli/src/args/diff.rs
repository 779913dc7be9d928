//! Arguments of `tilewright diff`.

use std::path::PathBuf;

use clap::Args;

use super::Run;

/// Arguments of `tilewright diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Both run with the same options, watched by every tool. Compared are the verdicts, the findings, the
cycles, the digests of all events, and every bit of outputs of the same name. Exits with 0
if nothing differs but the digest, with 1 if something does. With two devices, such as
--device n150,p150, the first program runs on the first and the other on the second; without OTHER,
it is the same program.

Examples:
  tilewright diff softmax softmax --shape 64x64
  tilewright diff softmax softmax --shape 64x64 --html diff.html")]
pub struct Diff {
    /// What to run.
    #[command(flatten)]
    pub run: Run,

    /// What to compare it with: an operation, a manifest or a capture [default: the same, if there
    /// are two devices]
    #[arg(value_name = "OTHER")]
    pub other: Option<String>,

    /// Write a page for reviewers to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}
