//! Arguments of `tilewright watch`.

use clap::Args;

use super::Check;

/// Arguments of `tilewright watch`.
#[derive(Debug, Args)]
#[command(after_help = "\
Checks as `tilewright check` does, with the same options, and again whenever a file is saved: a
manifest, a capture, a kernel, a header that a kernel includes, or a source file beside them.

Examples:
  tilewright watch examples/eltwise/program.toml
  tilewright watch examples --seeds 8")]
pub struct Watch {
    /// What to check.
    #[command(flatten)]
    pub check: Check,
}
