//! What the command line takes. What it means is in `commands`.

mod capture;
mod check;
mod corpus;
mod develop;
mod diff;
mod exec;
mod grade;
mod run;
mod sweep;
mod watch;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use tilewright_report::terminal::Prints;
use tilewright_tile::SimdLevel;

pub use self::capture::Capture;
pub use self::check::Check;
pub use self::corpus::Corpus;
pub use self::develop::{New, Stages};
pub use self::diff::Diff;
pub use self::exec::Exec;
pub use self::grade::Grade;
use self::run::RUN_HELP;
pub use self::run::{Explore, Run};
pub use self::sweep::Sweep;
pub use self::watch::Watch;
use crate::output::Colours;
use crate::typed::{CACHE, COLOURS, PRINTS, SIMD, number, one_of};
pub use crate::typed::{CacheAction, Form, FormatWord, Threads};

/// Runs tile kernels for Tenstorrent's Tensix cores bit for bit, and says what is wrong with them.
#[derive(Debug, Parser)]
#[command(
    name = "tilewright",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 clean, 1 findings or values out of bound, 2 could not run. A run whose outputs were
compared with nothing is unjudged and exits with 0, or with 1 if --require-judged is given.
Each command takes --json and then prints one JSON object, described in docs/schema.

Examples:
  tilewright list
  tilewright run identity --shape 1x1x64x96 --cores 4
  tilewright run identity --json | jq .verdict
  tilewright report softmax --shape 1x1x64x128"
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to colour text
    #[arg(long = "color", global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(value_parser = one_of(&COLOURS))]
    pub colours: Colours,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run operations or program manifests, and say what is wrong with them
    Check(Check),
    /// Show, prune or clear the cache of compiled C++ kernels
    Cache(Cache),
    /// Write all that a run of a program manifest needs to one file, to run elsewhere
    Capture(Capture),
    /// Print what a shell needs to complete commands
    Completions(Completions),
    /// Compile a tree of C++ kernels and say which names they miss
    Corpus(Corpus),
    /// Run two programs and say what differs between them
    Diff(Diff),
    /// Show what this computer has, and what each is needed for
    Doctor(Doctor),
    /// Compile and run a C++ host program, and check everything that it launches
    Exec(Exec),
    /// Show what a finding means, or all there are
    Explain(Explain),
    /// Inject single faults into a test's run, and say which of them the test would notice
    Grade(Grade),
    /// Show the operations that `run` knows, and their choices
    List(List),
    /// Make a new operation from a template, with kernels and tests for its stages
    New(New),
    /// Run an operation or a program manifest up to a cycle and show the state of every processor
    Replay(Replay),
    /// Run an operation or a program manifest and write a report of it: one HTML file
    Report(Report),
    /// Run the published faulty LayerNorm backward kernel beside ours, on the reported tests
    Repro(Repro),
    /// Run an operation or a program manifest on the simulated card and judge its results
    #[command(after_help = RUN_HELP)]
    Run(Explore),
    /// Run the seven stages of an operation's tests, and say how far it is
    Stages(Stages),
    /// Run every combination of shapes, inputs, seeds and options of a sweep file
    Sweep(Sweep),
    /// Run an operation or a program manifest and write its trace, for ui.perfetto.dev
    Trace(Trace),
    /// Check golden data on the simulated machine, bit for bit
    Vectors(Vectors),
    /// Check programs, and again whenever one of their files is saved
    Watch(Watch),
}

impl Command {
    /// Whether the answer is JSON.
    pub fn is_json(&self) -> bool {
        match self {
            Command::Check(check) => check.form() == Form::Json,
            Command::Run(explore) => explore.run.json,
            Command::Cache(cache) => cache.json,
            Command::Capture(capture) => capture.json,
            Command::Completions(completions) => completions.json,
            Command::Corpus(corpus) => corpus.json,
            Command::Diff(diff) => diff.run.json,
            Command::Doctor(doctor) => doctor.json,
            Command::Exec(exec) => exec.json,
            Command::Explain(explain) => explain.json,
            Command::Grade(grade) => grade.run.json,
            Command::List(list) => list.json,
            Command::New(new) => new.json,
            Command::Report(report) => report.run.json,
            Command::Repro(repro) => repro.json,
            Command::Replay(replay) => replay.run.json,
            Command::Stages(stages) => stages.json,
            Command::Sweep(sweep) => sweep.json,
            Command::Trace(trace) => trace.run.json,
            Command::Vectors(vectors) => vectors.json,
            Command::Watch(watch) => watch.check.form() == Form::Json,
        }
    }
}

/// Arguments of `tilewright cache`.
#[derive(Debug, Args)]
#[command(after_help = "\
Kernels are compiled again when a file they were compiled from changes, whatever the cache holds.
The kernels used longest ago go first when it grows too large; nothing is lost but time.

Examples:
  tilewright cache
  tilewright cache prune --max-mib 100
  tilewright cache clear")]
pub struct Cache {
    /// What to do with it
    #[arg(value_name = "ACTION", default_value = "show", value_parser = one_of(&CACHE))]
    pub action: CacheAction,

    /// The folder [default: tilewright in XDG_CACHE_HOME or ~/.cache]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Mebibytes that `prune` leaves
    #[arg(long, value_name = "MIB", default_value = "512")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u32>)]
    pub max_mib: u32,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tilewright completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tilewright completions bash > ~/.local/share/bash-completion/completions/tilewright
  tilewright completions fish | source")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tilewright doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing that is missing stops the simulator: a compiler is needed for C++ kernels alone, a card, its
driver and huge pages only by tt-metal itself.

Examples:
  tilewright doctor
  tilewright doctor --json | jq '.facts[] | select(.is_there | not) | .what'")]
pub struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tilewright explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tilewright explain
  tilewright explain stale-accumulation")]
pub struct Explain {
    /// The finding's id, as reports show it, or a part of it [default: list all]
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tilewright list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tilewright list
  tilewright list --json | jq -r '.operations[].name'")]
pub struct List {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tilewright repro`.
#[derive(Debug, Args)]
#[command(after_help = "\
In November 2025 a LayerNorm backward kernel was reported wrong, with figures from a card. Each
reported test runs that kernel, faults included, and ours on the same data: errors of dx against
its exact value. Means are summed one after another in f32, as the report's script did. The exit
code is 0 if ours is inside its derived bounds on every row.

Examples:
  tilewright repro --only \"64 tiles\"
  tilewright repro --only \"64 tiles\" --json | jq '.rows[].faulty_max'")]
pub struct Repro {
    /// Host threads; they change no result
    #[arg(long, value_name = "N|auto", default_value = "auto", allow_negative_numbers = true)]
    pub threads: Threads,

    /// Only tests whose names contain this, such as nightly
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tilewright replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every finding prints the command that shows it again. The run is the same, event for event; it stops
after the cycle, and says where every processor is, what it waits for, and what buffers and Dst
hold. Programs that run one after the other count their cycles on.

Examples:
  tilewright replay softmax --shape 64x128 --seed 7 --stop-at 2_000
  tilewright replay identity --shape 64x64 --stop-at 900 --json | jq '.pause.cores[0].processors'")]
pub struct Replay {
    /// What to run.
    #[command(flatten)]
    pub run: Run,

    /// The last cycle that happens [default: the run's end]
    #[arg(long, value_name = "CYCLE")]
    #[arg(allow_negative_numbers = true, value_parser = number::<u64>)]
    pub stop_at: Option<u64>,

    /// What the terminal shows of what kernels print: the first 40 lines, all that is kept, or none
    #[arg(long, value_name = "LINES", default_value = "first", value_parser = one_of(&PRINTS))]
    pub print: Prints,
}

/// Arguments of `tilewright report`.
#[derive(Debug, Args)]
#[command(after_help = "\
The file is complete in itself: it needs no network and opens in any browser. It shows the verdict,
the findings with their source lines, the errors of each output by tile, what each processor did and
waited for, how full each circular buffer was, L1, and where the simulated cycles went. Cycles are
estimates; the file lists the cost of each step with its source. With two devices, each has a file
of its own, and a third compares them.

Examples:
  tilewright report softmax --shape 1x1x64x128 --cores 2
  tilewright report layernorm-bw --shape 1x1x64x128 -o backward.html")]
pub struct Report {
    /// What to run, and how.
    #[command(flatten)]
    pub run: Run,

    /// The file to write [default: NAME.html, in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `tilewright trace`.
#[derive(Debug, Args)]
#[command(after_help = "\
Cores are processes and processors are threads; waits, transfers and the pages in each circular
buffer are there too. A cycle is shown as a nanosecond. Cycles are estimates. Very long runs are
joined to fewer slices; totals stay exact. docs/schema describes the lines of --jsonl.

Examples:
  tilewright trace softmax --shape 1x1x64x128 --cores 2
  tilewright trace layernorm-fw --shape 1x1x32x256 -o forward.pftrace --jsonl forward.jsonl")]
pub struct Trace {
    /// What to run, and how.
    #[command(flatten)]
    pub run: Run,

    /// The trace to write [default: NAME.pftrace, in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write the same as lines of JSON, too
    #[arg(long, value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
}

/// Arguments of `tilewright vectors`.
#[derive(Debug, Args)]
#[command(after_help = "\
A group of cases is <group>.jsonl and <group>.bin, each also as .zst; tests/golden/README.md says
what they hold. Each case runs on a simulated core through the kernel API. A case that differs is
named with its first element, the bits wanted and the bits that came out. The last line is
`N passed, M failed`.

Examples:
  tilewright vectors tests/golden
  tilewright vectors tests/golden/vectors --json | jq '.mismatches[].case'")]
pub struct Vectors {
    /// The folder with the groups, or one with the folders vectors and chains below it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// SIMD instructions of the host to use; they change no result [default: the best it has]
    #[arg(long, value_name = "LEVEL", value_parser = one_of(&SIMD))]
    pub simd: Option<SimdLevel>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
