//! What `tilewright exec` takes.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use tilewright_check::{FindingId, Tools};
use tilewright_metal::{NocMode, RunOptions};
use tilewright_tile::SimdLevel;

use crate::typed::{NOC, SIMD, Threads, device, finding, number, one_of};

/// Arguments of `tilewright exec`.
#[derive(Debug, Args)]
#[command(after_help = "\
The program is compiled against headers with tt-metal's paths and names, and runs unchanged in a
process of its own. Everything that it launches is simulated and checked, with the tools of `check`;
what its kernels print appears as on a card. Kernel files are looked for in the working folder, in
TT_METAL_HOME, and in the folders that the program's source is in.

The verdict is `pass` if nothing was found, and the program has read what its launches made and ends
with status 0: it is the judge of its values. If it has read nothing, the run is unjudged.

Examples:
  tilewright exec examples/host/copy/copy.cpp
  tilewright exec examples/host/copy/copy.cpp --json | jq .verdict
  tilewright exec examples/host/copy/copy.cpp --seeds 8
  g++ program.cpp $(tilewright exec --print-flags) -o program")]
pub struct Exec {
    /// The C++ file with the host program's `main`
    #[arg(value_name = "FILE.cpp")]
    #[arg(required_unless_present_any = ["print_flags", "install", "program"])]
    pub file: Option<PathBuf>,

    /// Arguments of the program; write `--` before the first that begins with a hyphen
    #[arg(value_name = "ARGS")]
    pub arguments: Vec<OsString>,

    /// Look for headers of the program here, too; may be given several times
    #[arg(short = 'I', long, value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// An argument for the compiler or the linker, such as -lfoo; may be given several times
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub cxx_arg: Vec<String>,

    /// The C++ compiler [default: CXX, or g++ or clang++ on PATH]
    #[arg(long, value_name = "PATH")]
    pub cxx: Option<PathBuf>,

    /// Print the flags by which other build systems compile a host program, and end
    #[arg(long, conflicts_with = "json")]
    pub print_flags: bool,

    /// Write a package for CMake (TT-Metalium) and pkg-config (tilewright-host) to this folder, and
    /// end
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "print_flags"])]
    pub install: Option<PathBuf>,

    /// Run a program that was compiled with these flags or this package
    #[arg(long, value_name = "FILE", conflicts_with_all = ["print_flags", "install"])]
    pub program: Option<PathBuf>,

    /// The simulated device: n150, p100a or p150 [default: n150]
    #[arg(long, value_name = "NAME", value_parser = device)]
    pub device: Option<String>,

    /// Which of the legal schedules and latencies; 0 is the nominal one
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub seed: Option<u64>,

    /// Schedules of each launch, with seeds from --seed on; the program goes on with the first
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub seeds: u64,

    /// Host threads; they change no result
    #[arg(long, value_name = "N|auto", default_value = "auto", allow_negative_numbers = true)]
    pub threads: Threads,

    /// When transfers land
    #[arg(long, default_value = "timed", value_parser = one_of(&NOC))]
    pub noc: NocMode,

    /// Tools that watch the run: all, none, or some of sync,race,init,memory,dst,format,value
    #[arg(long, value_name = "TOOLS", default_value = "all")]
    pub check: Tools,

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

    /// Seconds of this computer's time for one schedule of a launch, and for the program between
    /// two of its calls; 0 is no limit
    #[arg(long, value_name = "SECONDS", default_value = "600")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub timeout: u64,

    /// SIMD instructions of the host to use; they change no result [default: the best it has]
    #[arg(long, value_name = "LEVEL", value_parser = one_of(&SIMD))]
    pub simd: Option<SimdLevel>,

    /// Let kernels write files, use the network and start processes
    #[arg(long)]
    pub no_sandbox: bool,

    /// Exit with 1 if the program has read nothing that its launches made
    #[arg(long)]
    pub require_judged: bool,

    /// Write a report of one launch: one HTML file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write all that one launch needs to one file, to run elsewhere; its name ends in .cap
    #[arg(long, value_name = "FILE")]
    pub capture: Option<PathBuf>,

    /// The launch that --report and --capture mean
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub launch: u64,

    /// Print one JSON object; what the program prints is in it
    #[arg(long)]
    pub json: bool,
}
