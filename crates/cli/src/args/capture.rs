//! What `tilewright capture` takes.

use std::path::PathBuf;

use clap::Args;
use tilewright_metal::Family;

use crate::typed::{Setting, device, families, number};

/// Arguments of `tilewright capture`.
#[derive(Debug, Args)]
#[command(after_help = "\
The file holds everything that a run needs: the programs, the tensors' values, what outputs must
hold, the sources of the kernels with their own headers, and the seed. `run`, `check`, `report`,
`trace` and `replay` take it in place of the manifest, on any computer, with the same digest and
verdict. Attach it to a bug report; it contains your source code and data.

Examples:
  tilewright capture examples/eltwise/program.toml -o eltwise.cap
  tilewright run eltwise.cap")]
pub struct Capture {
    /// The manifest's file
    #[arg(value_name = "MANIFEST")]
    pub name: String,

    /// The file to write; its name ends in .cap [default: NAME.cap, in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The seed that a run of the capture has unless it is given one
    #[arg(long, value_name = "N", default_value = "0")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub seed: u64,

    /// The simulated device: n150, p100a or p150 [default: n150, or what the manifest names]
    #[arg(long, value_name = "NAME", value_parser = device)]
    pub device: Option<String>,

    /// The most cores to use [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u32>)]
    pub cores: Option<u32>,

    /// What the inputs hold, such as wide-range [default: as the manifest says]
    #[arg(long, value_name = "FAMILY", value_parser = families())]
    #[arg(hide_possible_values = true)]
    pub input: Option<Family>,

    /// The seed of the inputs
    #[arg(long, value_name = "N", default_value = "0")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub data_seed: u64,

    /// The C++ compiler [default: CXX, or g++ or clang++ on PATH]
    #[arg(long, value_name = "PATH")]
    pub cxx: Option<PathBuf>,

    /// One of the manifest's values; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<Setting>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
