//! Runs that pass, fail, hang or end in an error, drawn for a terminal, and their verdicts.

use std::collections::BTreeMap;

use crate::common::check;
use tilewright_machine::{
    CoreCoord, Cycle, Ending, Processor, ProcessorId, Site, Stop, StopReason,
};
use tilewright_metal::Shape;
use tilewright_ops::judge;
use tilewright_report::record::{
    Blame, CheckedProgram, Finding, HostSeconds, Output, Pause, PausedBuffer, PausedCore,
    PausedProcessor, Replay, Request, Run, RunVerdict,
};
use tilewright_report::terminal::{self, Paint, Prints};
use tilewright_run::baseline;
use tilewright_tile::bound::Approx;

pub fn finding(blame: Blame) -> Finding {
    Finding {
        id: "deadlock".to_owned(),
        title: "reader on core (0,0) waits, and nobody can move".to_owned(),
        blame,
        count: 64,
        marks: Vec::new(),
        facts: Vec::new(),
        help: None,
        consequences: Vec::new(),
        program: None,
        cycle: None,
        seeds: Vec::new(),
        replay: None,
        distinguished_by: Default::default(),
    }
}

fn stopped(reason: StopReason) -> Ending {
    let processor = ProcessorId { core: CoreCoord::new(0, 0), processor: Processor::Reader };
    Ending::Stopped(vec![Stop { processor, cycle: Cycle(9), site: Site::here(), reason }])
}

fn output(values: &[f32], reference: &[Approx]) -> Output {
    let shape = Shape::new(&[values.len() / 2, 2]).expect("a shape");
    Output::new(&shape, &judge::judge(values, reference))
}

fn outputs(output: Output) -> BTreeMap<String, Output> {
    BTreeMap::from([("y".to_owned(), output)])
}

fn right() -> BTreeMap<String, Output> {
    outputs(output(&[1.0, 2.25], &[Approx::exact(1.0), Approx::new(2.0, 0.5)]))
}

fn outside() -> BTreeMap<String, Output> {
    outputs(output(&[1.0, f32::NAN], &[Approx::exact(1.0), Approx::new(2.0, 0.5)]))
}

fn unjudged() -> BTreeMap<String, Output> {
    outputs(output(&[1.0, 2.0], &[Approx::special(), Approx::special()]))
}

fn uncompared(outputs: &BTreeMap<String, Output>) -> Vec<String> {
    let unjudged = outputs.iter().filter(|(_, output)| output.judged == 0);
    unjudged.map(|(name, _)| name.clone()).collect()
}

#[test]
fn the_verdict_says_what_a_run_comes_to() {
    let of = |ending: &Ending, findings: &[Finding], outputs: &BTreeMap<String, Output>| {
        RunVerdict::of(ending, findings, outputs, &uncompared(outputs))
    };
    let none = BTreeMap::new();
    assert_eq!(of(&Ending::Completed, &[], &right()), RunVerdict::Pass);
    assert_eq!(of(&Ending::Completed, &[], &outside()), RunVerdict::Fail);
    assert_eq!(of(&Ending::Completed, &[], &unjudged()), RunVerdict::Unjudged);
    assert_eq!(of(&Ending::Completed, &[], &none), RunVerdict::Unjudged);
    let (kernel, lack) = ([finding(Blame::KernelBug)], [finding(Blame::NotModelled)]);
    assert_eq!(of(&Ending::Completed, &kernel, &right()), RunVerdict::Fail);
    assert_eq!(of(&Ending::Completed, &lack, &right()), RunVerdict::Error);
    assert_eq!(of(&Ending::Stuck, &kernel, &none), RunVerdict::Hang);
    let lacks = stopped(StopReason::NotModelled("tiles of Int8".to_owned()));
    assert_eq!(of(&lacks, &lack, &none), RunVerdict::Error);
    assert_eq!(of(&lacks, &kernel, &none), RunVerdict::Fail);
    assert_eq!(of(&stopped(StopReason::CycleLimit(7)), &kernel, &none), RunVerdict::Hang);
    let livelock = StopReason::Livelock { calls: 9, polled: None };
    assert_eq!(of(&stopped(livelock), &kernel, &none), RunVerdict::Hang);
    assert_eq!(of(&Ending::Paused(Cycle(9)), &[], &none), RunVerdict::Paused);
    assert_eq!(of(&Ending::Paused(Cycle(9)), &kernel, &none), RunVerdict::Fail);
}

/// A run that ended early has no outputs that could be right.
#[test]
fn known_findings_change_the_verdict_of_runs_that_completed() {
    let verdict = |ending: &Ending, findings: &[Blame], outputs: BTreeMap<String, Output>| {
        let findings = findings.iter().map(|blame| finding(*blame)).collect();
        let mut run = run(ending, findings, outputs);
        run.findings[0].title = "known".to_owned();
        let mut programs = [CheckedProgram::new("softmax", Ok(run))];
        let mut known = baseline::of(&programs);
        known.retain(|it| it.title == "known");
        assert_eq!(baseline::leave_out(&mut programs, &known), 1);
        programs[0].verdict()
    };
    let (kernel, lack) = (Blame::KernelBug, Blame::NotModelled);
    assert_eq!(verdict(&Ending::Completed, &[kernel], right()), RunVerdict::Pass);
    assert_eq!(verdict(&Ending::Completed, &[kernel], outside()), RunVerdict::Fail);
    assert_eq!(verdict(&Ending::Completed, &[kernel], unjudged()), RunVerdict::Unjudged);
    assert_eq!(verdict(&Ending::Completed, &[kernel, lack], right()), RunVerdict::Error);
    assert_eq!(verdict(&Ending::Completed, &[kernel, kernel], right()), RunVerdict::Fail);
    let crash = stopped(StopReason::NotModelled("tiles of Int8".to_owned()));
    assert_eq!(verdict(&crash, &[kernel], BTreeMap::new()), RunVerdict::Fail);
    assert_eq!(verdict(&Ending::Stuck, &[kernel], BTreeMap::new()), RunVerdict::Hang);
}

#[test]
fn several_schedules_are_as_bad_as_the_worst() {
    use RunVerdict::{Error, Fail, Hang, Pass, Unjudged};
    assert_eq!(RunVerdict::worst([Pass, Pass]), Pass);
    assert_eq!(RunVerdict::worst([Pass, Unjudged]), Unjudged);
    assert_eq!(RunVerdict::worst([Fail, Unjudged]), Fail);
    assert_eq!(RunVerdict::worst([Pass, Error, Pass]), Error);
    assert_eq!(RunVerdict::worst([Error, Fail]), Fail);
    assert_eq!(RunVerdict::worst([Fail, Hang, Error]), Hang);
}

fn run(ending: &Ending, findings: Vec<Finding>, outputs: BTreeMap<String, Output>) -> Run {
    Run {
        verdict: RunVerdict::of(ending, &findings, &outputs, &uncompared(&outputs)),
        completed: *ending == Ending::Completed,
        request: Request {
            device: "n150".to_owned(),
            operation: "softmax".to_owned(),
            shape: "1x2".to_owned(),
            format: "Float16_b".to_owned(),
            dst_bits: 16,
            dst_sync: "half".to_owned(),
            fidelity: "HiFi4".to_owned(),
            cores: 1,
            threads: 1,
            noc: "timed".to_owned(),
            input: "uniform".to_owned(),
            data_seed: 0,
            choices: BTreeMap::from([("stable".to_owned(), "yes".to_owned())]),
        },
        findings,
        allowed: 0,
        notes: outputs.iter().filter_map(|(name, output)| output.note(name)).collect(),
        uncompared: uncompared(&outputs),
        outputs,
        tiles: 1,
        cycles: 1234,
        wall_seconds: 0.5,
        host_seconds: HostSeconds { loading: 0.25, read_back: 0.125, judging: 1.5 },
        tiles_per_second: 2.0,
        seed: 7,
        schedules: 1,
        digest: "0123456789abcdef".to_owned(),
        programs: Vec::new(),
        zones: Vec::new(),
        omitted_zones: 0,
        also_cores: None,
        compiled_by: None,
        printed: Vec::new(),
        replay: "tilewright run softmax --shape 1x2 --seed 7".to_owned(),
    }
}

#[test]
fn runs_are_drawn() {
    let draw = |run: &Run| terminal::run(run, Prints::First, Paint::Plain);
    check("pass", &draw(&run(&Ending::Completed, Vec::new(), right())));
    check("unjudged", &draw(&run(&Ending::Completed, Vec::new(), unjudged())));
    let other = vec!["y".to_owned(), "z".to_owned()];
    let unknown = Run { uncompared: other, ..run(&Ending::Completed, Vec::new(), BTreeMap::new()) };
    check("unjudged-outputs", &draw(&unknown));
    check("fail", &draw(&run(&Ending::Completed, Vec::new(), outside())));
    let several = Run { schedules: 64, ..run(&Ending::Completed, Vec::new(), right()) };
    check("pass-schedules", &draw(&several));
    let deadlock = vec![finding(Blame::KernelBug)];
    check("hang", &draw(&run(&Ending::Stuck, deadlock, BTreeMap::new())));
    let lacks = stopped(StopReason::NotModelled("tiles of Int8".to_owned()));
    let lack = vec![finding(Blame::NotModelled)];
    check("error", &draw(&run(&lacks, lack, BTreeMap::new())));
}

#[test]
fn a_stopped_run_is_drawn_with_its_cores() {
    let core = |core: &str| PausedCore {
        core: core.to_owned(),
        processors: vec![PausedProcessor {
            processor: "reader".to_owned(),
            doing: "waits for 1 free page in `cb_x`; 0 of 2 are free".to_owned(),
            file: "kernels/reader.rs".to_owned(),
            line: 33,
            column: 9,
            cycle: 1200,
        }],
        buffers: vec![PausedBuffer {
            name: "cb_x".to_owned(),
            pages: 2,
            visible: 2,
            free: 0,
            pushed: "14 by reader".to_owned(),
            popped: String::new(),
        }],
        dst: Some("0 of 2 sections committed".to_owned()),
    };
    let cores = ["(0,0)", "(1,0)", "(2,0)"].map(core).to_vec();
    let pause = Pause { cycle: 1234, program: "softmax".to_owned(), cores };
    let run = run(&Ending::Paused(Cycle(1234)), Vec::new(), BTreeMap::new());
    let replay = Replay { run, pause: Some(pause) };
    check("paused", &terminal::replay(&replay, Prints::First, Paint::Plain));
}

#[test]
fn colour_marks_the_verdict() {
    let unjudged = terminal::run(
        &run(&Ending::Completed, Vec::new(), unjudged()),
        Prints::First,
        Paint::Colour,
    );
    assert!(unjudged.starts_with("\u{1b}[1m\u{1b}[33munjudged\u{1b}[0m "), "{unjudged:?}");
    let run = run(&Ending::Completed, Vec::new(), right());
    let text = terminal::run(&run, Prints::First, Paint::Colour);
    assert!(text.starts_with("\u{1b}[1m\u{1b}[32mpass\u{1b}[0m "), "{text:?}");
}
