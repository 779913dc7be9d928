//! Arguments of `tilewright grade`.

use std::path::PathBuf;

use clap::Args;

use super::Run;
use crate::typed::{share, tolerance};

/// Arguments of `tilewright grade`.
#[derive(Debug, Args)]
#[command(after_help = "\
The test is the run that the arguments describe, and the comparison that --atol, --rtol and --pcc
state: every element with |got - wanted| <= atol + rtol * |wanted|, and a correlation of at least
pcc. Without any of them it is the derived bound of each element, or a manifest's own tolerance.

A C++ host program (a .cpp file) is graded by its exit code, and tests in Python (a .py file, or
FILE.py::TEST) by their assertions: they compare by themselves.

Each fault is one change to the run, without recompiling anything: a tile dropped or doubled, a mask
or an init left out, operands exchanged, a barrier too late and so on; docs/src/grade.md lists them.
The score is the share of value-changing faults that the test's own comparison catches. The exit
code is 1 if it is below --threshold, else 0.

Examples:
  tilewright grade softmax --shape 64x96
  tilewright grade layernorm-fw --shape 64x90 --atol 0.1
  tilewright grade layernorm-fw --shape 64x90 --atol 0.1 --suggest
  tilewright grade examples/eltwise/program.toml --json | jq .score
  tilewright grade examples/host/copy/copy.cpp")]
pub struct Grade {
    /// What the test runs.
    #[command(flatten)]
    pub run: Run,

    /// The test's absolute tolerance
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = tolerance)]
    pub atol: Option<f64>,

    /// The test's tolerance relative to the right value
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = tolerance)]
    pub rtol: Option<f64>,

    /// The least correlation that the test accepts
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = share)]
    pub pcc: Option<f64>,

    /// Try other inputs and shapes, and propose the fewest tests that catch every fault
    #[arg(long)]
    pub suggest: bool,

    /// The Python with the package `tilewright`, for tests in Python; else that of
    /// TILEWRIGHT_PYTHON, of the active environment, or on PATH
    #[arg(long, value_name = "FILE")]
    pub python: Option<PathBuf>,

    /// The least score with which the exit code is 0
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true, value_parser = share)]
    pub threshold: Option<f64>,
}
