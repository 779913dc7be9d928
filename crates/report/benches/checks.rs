//! What judging costs, and how soon a deadlock is told.
//!
//! Pairs are run in turn, A then B, and the ratio is the median of the pairs' ratios, so that a
//! host that is busy for a while slows both. Figures are printed, never demanded: a busy host is
//! no fault.
//!
//! - deadlock: from the launch to the text of the finding, on one core and on 64;
//! - `--check all` against `--check none`, LayerNorm forward and backward, on one host thread and
//!   on two;
//! - no observer against a run whose events are not even fingerprinted: what it costs that
//!   observers could be there.

#![allow(missing_docs, reason = "a bench has no readers of its items")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]
#![allow(clippy::print_stdout, reason = "figures are printed")]

use std::time::{Duration, Instant};

use tilewright_check::{Session, Tools};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, CoreRange, DataMovementPlace, Device,
    Ending, Prepared, Program, RunOptions,
};
use tilewright_ops::{Request, find};
use tilewright_report::record::Finding;
use tilewright_report::terminal::{self, Paint};
use tilewright_tile::DataFormat;

const ROUNDS: usize = 25;

fn main() {
    for (cores, limit) in [(1, 50), (8, 300)] {
        let took = median((0..ROUNDS).map(|_| deadlock(cores)).collect());
        let cores = u32::from(cores) * u32::from(cores);
        println!("deadlock on {cores:2} cores: told after {took:.1?}; at most {limit} ms wanted");
    }
    let backward = ("layernorm-bw", "1x1x1024x1024");
    for subject in [("layernorm-fw", "1x1x8192x1024"), backward] {
        for threads in [1, 2] {
            let options = RunOptions { threads, ..RunOptions::USUAL };
            let all = |turn: &mut Turn| turn.run(&Tools::all(), options);
            let none = |turn: &mut Turn| turn.run(&Tools::none(), options);
            let what = format!("threads {threads}, --check all / --check none");
            pair(&what, subject, &all, &none, "3.00");
        }
    }
    let none = |turn: &mut Turn| turn.run(&Tools::none(), RunOptions::USUAL);
    let silent = RunOptions { has_digest: false, ..RunOptions::USUAL };
    let bare = |turn: &mut Turn| turn.run(&Tools::none(), silent);
    pair("no observer / no events at all", backward, &none, &bare, "1.05");
}

fn pair(
    what: &str,
    (name, shape): (&str, &str),
    a: &dyn Fn(&mut Turn) -> Duration,
    b: &dyn Fn(&mut Turn) -> Duration,
    most: &str,
) {
    let mut turn = Turn::new(name, shape);
    let (mut first, mut second, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let times = (a(&mut turn), b(&mut turn));
        // The first round warms caches up.
        if round > 0 {
            first.push(times.0);
            second.push(times.1);
            ratios.push(times.0.as_secs_f64() / times.1.as_secs_f64());
        }
    }
    let (first, second) = (median(first), median(second));
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    println!(
        "{name} {shape}, {what}: {first:.1?} / {second:.1?} = {ratio:.2}; \
         at most {most} wanted"
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// An operation on its device.
struct Turn {
    device: Device,
    prepared: Prepared,
}

impl Turn {
    fn new(name: &str, shape: &str) -> Turn {
        let operation = find(name).expect("an operation");
        let mut request = Request::new(shape.parse().expect("a shape"), DataFormat::Bfloat16);
        request.settings = operation.settings(request.format);
        let mut device = Device::n150();
        let prepared = operation.prepare(&mut device, &request).expect("a right request");
        prepared.load(&mut device).expect("stacks");
        Turn { device, prepared }
    }

    fn run(&mut self, tools: &Tools, options: RunOptions) -> Duration {
        let started = Instant::now();
        for program in &self.prepared.programs {
            let mut session = Session::new(program, tools);
            let outcome = if session.is_watching() {
                program.run(&mut self.device, options, &mut [&mut session])
            } else {
                program.run(&mut self.device, options, &mut [])
            };
            let outcome = outcome.expect("stacks");
            assert_eq!(outcome.ending, Ending::Completed);
            let findings = session.findings(program, &outcome);
            assert!(findings.is_empty(), "{findings:#?}");
        }
        started.elapsed()
    }
}

/// How long it takes from the launch of a program that gets stuck to the text of its finding, on a
/// square of so many cores a side, with every tool on.
fn deadlock(side: u8) -> Duration {
    let mut device = Device::n150();
    let cores = CoreRange::new(CoreCoord::new(0, 0), CoreCoord::new(side - 1, side - 1));
    let mut builder = Program::builder("stuck");
    builder.circular_buffer(cores, CbSpec::tiles(0, "cb_in", DataFormat::Bfloat16, 4));
    let none = CompileTimeArgs::default;
    builder.data_movement("reader", cores, DataMovementPlace::Reader, none(), |ctx| {
        for _ in 0..100 {
            ctx.cb_reserve_back(0, 3);
            ctx.cb_push_back(0, 3);
        }
    });
    builder.compute("compute", cores, ComputeConfig::default(), none(), |ctx| {
        ctx.compute_kernel_hw_startup(0, 0, 0);
        ctx.cb_wait_front(0, 8);
    });
    let program = builder.build(device.architecture(), device.l1_lowest()).expect("a program");
    let started = Instant::now();
    let mut session = Session::new(&program, &Tools::all());
    let outcome = program.run(&mut device, RunOptions::USUAL, &mut [&mut session]).expect("stacks");
    let findings = session.findings(&program, &outcome);
    let draw = |finding| terminal::finding(&Finding::from(finding), "", Paint::Plain);
    let text: String = findings.iter().map(draw).collect();
    let took = started.elapsed();
    assert!(outcome.ending == Ending::Stuck && text.contains("`cb_in`"), "{text}");
    took
}
