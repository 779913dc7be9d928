//! Arguments of `tilewright new` and `tilewright stages`.

use std::path::PathBuf;

use clap::Args;
use tilewright_develop::{Language, Template};

use crate::typed::{LANGUAGES, TEMPLATES, one_of, stage};

/// Arguments of `tilewright new`.
#[derive(Debug, Args)]
#[command(after_help = "\
The folder NAME is made with the host's side of the operation in Python or Rust, C++ kernels
(reader, compute, writer and stubs of them), SPECIFICATION.md to fill in, and tests for the seven
stages. It is a model that passes all of them. No file is overwritten.

Examples:
  tilewright new swish
  tilewright new row_mean --template reduction --language rust
  tilewright new fused_norm --template normalisation --output operations")]
pub struct New {
    /// The operation: a name in lower case, with underscores
    pub name: String,

    /// What it begins as: elementwise, reduction, normalisation or matmul
    #[arg(long, value_name = "TEMPLATE", default_value = "elementwise")]
    #[arg(value_parser = one_of(&TEMPLATES))]
    pub template: Template,

    /// What the host's side and the tests are written in: python or rust
    #[arg(long, value_name = "LANGUAGE", default_value = "python")]
    #[arg(value_parser = one_of(&LANGUAGES))]
    pub language: Language,

    /// The folder that the operation's folder is made in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub output: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tilewright stages`.
#[derive(Debug, Args)]
#[command(after_help = "\
The stages: 1 API exists, 2 parameters validated, 3 registered, 4 device operation, 5 program
factory, 6 stub kernels run, 7 kernels correct. Tests of stage 4 are in DIR/tests, in files named
test_4_NAME.py (run by pytest) or stage_4_NAME.rs (by cargo). Stages after one that fails are
blocked. One that has passed before and fails now is a regression.

The state is kept in DIR/.tilewright, and each event adds a line to DIR/breadcrumbs.jsonl; no other
file of the folder is touched, but cargo has its own: `target` and Cargo.lock. The exit code is 1 if
a stage fails.

Examples:
  tilewright stages examples/layernorm_fused_rm
  tilewright stages examples/layernorm_fused_rm --through 5 --json
  tilewright stages examples/layernorm_fused_rm --show --report stages.md")]
pub struct Stages {
    /// The operation's folder, as `tilewright new` makes one
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// The last stage to run
    #[arg(long, value_name = "STAGE", default_value = "7", value_parser = stage)]
    pub through: u32,

    /// Show the state of the last run, and run nothing
    #[arg(long, conflicts_with = "through")]
    pub show: bool,

    /// Write a report: HTML if FILE ends with .html, else Markdown
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// The Python with the package `tilewright`; else that of TILEWRIGHT_PYTHON, of the active
    /// environment, or on PATH
    #[arg(long, value_name = "FILE")]
    pub python: Option<PathBuf>,

    /// Seconds that the tests may take, those of one stage in Rust; 0 disables the limit
    #[arg(long, value_name = "SECONDS", default_value = "900")]
    pub timeout: u64,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
