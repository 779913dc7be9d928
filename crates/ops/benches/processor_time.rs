//! Processor time of whole simulations, per tile, for this build or beside another build of it.
//!
//! `cargo bench -p tilewright-ops --bench processor_time -- [--against BINARY] [--rounds N]
//! [--simd LEVEL] [--cores N] [--threads N] [NAME]` runs the cases whose names contain NAME, on
//! their own number of simulated cores and one thread unless others are given. With another build
//! of this bench, both take turns, so that a busy host disturbs both alike; the least time of all
//! rounds counts. Times are those that the host's kernel counts for the process, without waiting
//! for a processor; with more than one thread, what a clock shows.

#![allow(clippy::print_stdout, missing_docs, reason = "a program for people")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use std::process::Command;
use std::time::Instant;

use tilewright_metal::{Device, DstSync, Ending, RunOptions};
use tilewright_ops::{Request, find};
use tilewright_tile::dispatch::{self, SimdLevel};
use tilewright_tile::{DataFormat, DstWidth, Fidelity};

/// Name, operation, shape and cores.
const CASES: [(&str, &str, &str, u32); 12] = [
    ("copy", "copy", "2048x2048", 64),
    ("eltwise", "eltwise", "2048x2048", 64),
    ("layernorm-fw", "layernorm-fw", "8192x1024", 64),
    ("layernorm-fw-1k", "layernorm-fw", "1024x1024", 64),
    ("layernorm-fw-32k", "layernorm-fw", "32768x1024", 64),
    ("layernorm-fw-1-core", "layernorm-fw", "2048x1024", 1),
    ("layernorm-fw-64-cores", "layernorm-fw", "2048x1024", 64),
    ("layernorm-bw", "layernorm-bw", "3x1x273x8462", 64),
    ("softmax", "softmax", "1024x1024", 64),
    ("matmul", "matmul", "512x512", 64),
    ("matmul-lofi", "matmul", "512x512", 64),
    ("reduce", "reduce", "2048x2048", 64),
];

/// What is asked of every case.
#[derive(Clone)]
struct Asked {
    rounds: u32,
    level: SimdLevel,
    cores: Option<u32>,
    threads: usize,
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let (mut against, mut name, mut simulates) = (None, String::new(), false);
    let level = dispatch::detected();
    let mut asked = Asked { rounds: 5, level, cores: None, threads: 1 };
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|it| it.parse().ok()).expect("a number");
        match word.as_str() {
            "--rounds" => asked.rounds = number(),
            "--cores" => asked.cores = Some(number()),
            "--threads" => asked.threads = number() as usize,
            "--against" => against = words.next(),
            "--simd" => asked.level = words.next().as_deref().and_then(level_of).expect("a level"),
            "--simulate" => simulates = true,
            _ => name = word,
        }
    }
    if simulates {
        let found = CASES.iter().find(|case| case.0 == name).expect("a case");
        dispatch::force(Some(asked.level)).expect("a level of this host");
        return simulate(*found, &asked);
    }
    let own = std::env::current_exe().expect("a path").to_string_lossy().into_owned();
    let builds: Vec<String> = std::iter::once(own).chain(against).collect();
    for (case, ..) in CASES.iter().filter(|case| case.0.contains(&name)) {
        let mut least = vec![f64::MAX; builds.len()];
        for _ in 0..asked.rounds {
            for (build, least) in builds.iter().zip(&mut least) {
                *least = least.min(measured(build, case, &asked));
            }
        }
        let ratio =
            least.get(1).map(|other| format!("; other {other:.2} us, {:.2}x", other / least[0]));
        println!("{case}: {:.2} us a tile{}", least[0], ratio.unwrap_or_default());
    }
}

fn level_of(name: &str) -> Option<SimdLevel> {
    SimdLevel::ALL.into_iter().find(|level| level.name() == name)
}

/// Microseconds a tile of one case, by one build.
fn measured(build: &str, case: &str, asked: &Asked) -> f64 {
    let mut command = Command::new(build);
    command.args(["--simulate", "--rounds", "2", "--simd", asked.level.name(), case]);
    command.args(["--threads", &asked.threads.to_string()]);
    if let Some(cores) = asked.cores {
        command.args(["--cores", &cores.to_string()]);
    }
    let output = command.output().expect("a build of this bench");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("microseconds")
}

/// Runs a case some times; prints the least time.
fn simulate((case, operation, shape, cores): (&str, &str, &str, u32), asked: &Asked) {
    let mut request = Request::new(shape.parse().expect("a shape"), DataFormat::Bfloat16);
    request.cores = asked.cores.unwrap_or(cores);
    if case.contains("lofi") {
        request.settings.fidelity = Fidelity::LoFi;
    }
    if operation.starts_with("layernorm") {
        request.settings.width = DstWidth::Bits32;
        request.settings.sync = DstSync::Full;
    }
    let mut device = Device::n150();
    let prepared = find(operation).expect("an operation").prepare(&mut device, &request);
    let prepared = prepared.expect("a right request");
    let mut run = || {
        let options = RunOptions { threads: asked.threads, ..RunOptions::default() };
        for outcome in prepared.run(&mut device, options, &mut []).expect("stacks") {
            assert_eq!(outcome.ending, Ending::Completed);
        }
    };
    run();
    let mut least = f64::MAX;
    for _ in 0..asked.rounds {
        let (started, before) = (Instant::now(), processor_nanoseconds());
        let (mut runs, mut used) = (0.0, 0);
        while used < LEAST_NANOSECONDS {
            run();
            runs += 1.0;
            used = match asked.threads {
                1 => processor_nanoseconds() - before,
                _ => started.elapsed().as_nanos() as u64,
            };
        }
        least = least.min(used as f64 / 1000.0 / runs);
    }
    println!("{}", least / prepared.input_tiles as f64);
}

/// The host's kernel counts in steps of up to ten milliseconds: one is then a fiftieth.
const LEAST_NANOSECONDS: u64 = 500_000_000;

/// What this thread has used so far.
fn processor_nanoseconds() -> u64 {
    let used = std::fs::read_to_string("/proc/self/schedstat").expect("a host with Linux");
    used.split(' ').next().and_then(|word| word.parse().ok()).expect("nanoseconds")
}
