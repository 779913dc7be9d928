//! What most commands take: what to run, and how.

use std::path::PathBuf;

use clap::Args;
use tilewright_check::{FindingId, Tools};
use tilewright_metal::{DstSync, Family, NocMode, RunOptions, Shape};
use tilewright_report::terminal::Prints;
use tilewright_tile::{DstWidth, Fidelity, SimdLevel};

use crate::typed::{
    DST, FIDELITY, FormatWord, NOC, PRINTS, SIMD, SYNC, Save, Setting, Threads, device, families,
    finding, number, one_of,
};

pub(super) const RUN_HELP: &str = "\
The operation runs on a simulated n150, or on --device. Each element of each output is compared with
its exact value and a bound derived from the formats, the steps and the data. The same command gives
the same run, event for event, whatever the number of threads.

A program manifest (a .toml file) describes a program of C++ kernels: docs/src/manifest.md. It says
itself what an operation is asked for; --cores, --input and --data-seed replace what it says, and
--set one of its values. A capture (a .cap file) is what `tilewright capture` makes of a manifest.

Examples:
  tilewright run identity
  tilewright run identity --shape 3x65x70 --format fp32 --cores 7
  tilewright run eltwise --set op=mul --input wide-range
  tilewright run softmax --seed 7 --noc late
  tilewright run softmax --shape 64x128 --seeds 8
  tilewright run examples/eltwise/program.toml
  tilewright run identity --json | jq '.outputs.y.worst_ratio'";

/// What `tilewright run` and `tilewright replay` both take.
#[derive(Clone, Debug, Args)]
pub struct Run {
    /// The operation, as `tilewright list` shows them, or the file of a manifest or capture
    #[arg(value_name = "NAME")]
    pub name: String,

    /// The simulated device: n150, p100a or p150; for `check`, `diff` and `report` several,
    /// separated by commas, whose results are compared [default: n150, or what the manifest or
    /// capture names]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = device)]
    pub device: Vec<String>,

    /// Sizes of the first input [default: 1x1x1024x1024]
    #[arg(long)]
    pub shape: Option<Shape>,

    /// Format of inputs and outputs: bf16, fp32 or bfp8 [default: bf16]; for `check` also how to
    /// write the answer: terminal, json, sarif, junit, github or gitlab
    #[arg(long)]
    pub format: Vec<FormatWord>,

    /// Bits of a value in Dst [default: the operation's]
    #[arg(long, value_name = "BITS", value_parser = one_of(&DST))]
    pub dst: Option<DstWidth>,

    /// How math and pack share Dst [default: the operation's]
    #[arg(long, value_parser = one_of(&SYNC))]
    pub sync: Option<DstSync>,

    /// Phases of a product [default: the operation's]
    #[arg(long, ignore_case = true, value_parser = one_of(&FIDELITY))]
    pub fidelity: Option<Fidelity>,

    /// The most cores to use [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u32>)]
    pub cores: Option<u32>,

    /// Which of the legal schedules and latencies; 0 is the nominal one [default: 0, or the
    /// capture's own]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub seed: Option<u64>,

    /// Host threads; they change no result
    #[arg(long, value_name = "N|auto", default_value = "auto", allow_negative_numbers = true)]
    pub threads: Threads,

    /// When transfers land
    #[arg(long, default_value = "timed", value_parser = one_of(&NOC))]
    pub noc: NocMode,

    /// What the inputs hold, such as wide-range; `tilewright list` shows all [default: uniform]
    #[arg(long, value_name = "FAMILY", value_parser = families())]
    #[arg(hide_possible_values = true)]
    pub input: Option<Family>,

    /// The seed of the inputs
    #[arg(long, value_name = "N", default_value = "0")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub data_seed: u64,

    /// Tools that watch the run: all, none, or some of sync,race,init,memory,dst,format,value
    #[arg(long, value_name = "TOOLS", default_value = "all")]
    pub check: Tools,

    /// The C++ compiler for a manifest's kernels [default: CXX, or g++ or clang++ on PATH]
    #[arg(long, value_name = "PATH")]
    pub cxx: Option<PathBuf>,

    /// The compiler by which a schedule was found; if it is another one here, a note says so
    #[arg(long, value_name = "ID")]
    pub compiled_by: Option<String>,

    /// A kind of finding that is meant, such as stale-accumulation; may be given several times
    #[arg(long, value_name = "ID", value_parser = finding)]
    pub allow: Vec<FindingId>,

    /// Calls a processor may make while nothing changes anywhere; more are a livelock
    #[arg(long, value_name = "CALLS", default_value_t = RunOptions::USUAL.step_budget)]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub step_budget: u64,

    /// Seconds a kernel may run without coming back; more are an endless loop, 0 is no limit
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub silence: u64,

    /// Exit with 1 if an output was compared with nothing
    #[arg(long)]
    pub require_judged: bool,

    /// Seconds of this computer's time that a manifest's kernels may run for one schedule; more are
    /// an endless loop, 0 is no limit
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub timeout: u64,

    /// SIMD instructions of the host to use; they change no result [default: the best it has]
    #[arg(long, value_name = "LEVEL", value_parser = one_of(&SIMD))]
    pub simd: Option<SimdLevel>,

    /// Let a manifest's kernels write files, use the network and start processes
    #[arg(long)]
    pub no_sandbox: bool,

    /// One of the operation's own choices; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<Setting>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tilewright run` and `tilewright check`.
#[derive(Debug, Args)]
pub struct Explore {
    /// What to run.
    #[command(flatten)]
    pub run: Run,

    /// Schedules to run, with seeds from --seed on; what they find is merged
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub seeds: u64,

    /// What the terminal shows of what kernels print, in order of simulated time: the first 40
    /// lines, all that is kept, or none
    #[arg(long, value_name = "LINES", default_value = "first", value_parser = one_of(&PRINTS))]
    pub print: Prints,

    /// Save a tensor, or a circular buffer's pages on a core, to a .npy or .safetensors file; may
    /// be given several times
    #[arg(long, value_name = "NAME[@X,Y]=FILE")]
    pub save: Vec<Save>,
}
