//! What `tilewright corpus` takes.

use std::path::PathBuf;

use clap::Args;

use crate::typed::device;

/// Arguments of `tilewright corpus`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every .cpp file with a kernel below the folder is compiled against tilewright's headers, compute
kernels for all three processors; nothing is run. In a checkout of tt-metal its own helper headers
are found by themselves. Kernels written below the interface (instructions, vector code) or for more
than one card are counted apart.

Examples:
  tilewright corpus crates/metal/tests/kernels
  tilewright corpus crates/metal/tests/kernels --json | jq '.dataflow.missing'")]
pub struct Corpus {
    /// The folder with kernels, such as ttnn in a checkout of tt-metal
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Leave out paths that contain this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub exclude: Vec<String>,

    /// Look for the kernels' own headers here too; may be given again
    #[arg(long, value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// The device that kernels are compiled for: n150, p100a or p150
    #[arg(long, value_name = "NAME", default_value = "n150", value_parser = device)]
    pub device: String,

    /// The C++ compiler [default: CXX, or the first on PATH]
    #[arg(long, value_name = "PATH")]
    pub cxx: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
