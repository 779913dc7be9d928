//! Small programs of C++ kernels, each wrong in one way, and a twin of each that is right: how many
//! schedules show the fault, by its own name, and that no schedule accuses the twin.

use std::env;
use std::fs;
use std::ops::Range;
use std::path::Path;
use tilewright_run::Catalogue;
use tilewright_testing::skip;

use tilewright_check::FindingId::{
    self, AssertFailed, ConflictingAccess, DataBeforeCredit, LostUpdate, OverwrittenInFlight,
    RepeatedStartup, SkippableWait, StarvedWait, UnawaitedRead, UnflushedAtExit,
};
use tilewright_check::{Finding, Session, Tools};
use tilewright_manifest::{Manifest, Overrides};
use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_metal::{Device, NocMode, Prepared, RunOptions};

const FOLDER: &str = "crates/check/tests/schedules";

/// A faulty program: its name without `_bug`, what a finding may call the fault, and of how many of
/// 64 schedules it is found in at least.
struct Trial(&'static str, &'static [FindingId], u64);

const TRIALS: [Trial; 22] = [
    Trial("branch", &[UnawaitedRead], 24),
    Trial("countdown", &[LostUpdate], 60),
    Trial("early_ready", &[LostUpdate], 64),
    Trial("exit_flushed", &[UnflushedAtExit], 64),
    Trial("exit_increment", &[UnflushedAtExit], 64),
    Trial("exit_other_noc", &[UnflushedAtExit], 64),
    Trial("exit_posted", &[UnflushedAtExit], 64),
    Trial("exit_read", &[UnflushedAtExit], 64),
    Trial("exit_transaction", &[UnflushedAtExit], 64),
    Trial("lost_raw", &[ConflictingAccess], 64),
    Trial("lost_remote", &[LostUpdate], 60),
    Trial("lost_remote_200", &[LostUpdate], 60),
    Trial("lost_remote_2000", &[LostUpdate], 60),
    Trial("lost_set", &[LostUpdate], 24),
    Trial("mcast", &[LostUpdate, DataBeforeCredit, AssertFailed], 64),
    Trial("order", &[UnawaitedRead], 3),
    Trial("relay", &[DataBeforeCredit, AssertFailed], 64),
    Trial("reuse", &[OverwrittenInFlight], 64),
    Trial("skipped_equal", &[SkippableWait, StarvedWait], 64),
    Trial("skipped_equal_60", &[SkippableWait, StarvedWait], 64),
    Trial("skipped_equal_600", &[SkippableWait, StarvedWait], 64),
    Trial("startup", &[RepeatedStartup], 64),
];

/// The compiler of the host, if there is one.
fn workshop() -> Option<Workshop> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    env::set_current_dir(root).expect("the root of the repository");
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tilewright"));
    let opened = Workshop::open(&CompileOptions { cache, ..CompileOptions::default() });
    opened.map_err(|error| skip!(error)).ok()
}

/// The programs of a manifest, with their kernels compiled.
fn prepare(workshop: &Workshop, name: &str) -> (Manifest, Prepared) {
    let path = Path::new(FOLDER).join(format!("{name}.toml"));
    let text = fs::read_to_string(&path).expect("a manifest");
    let manifest = Manifest::parse(&path, &text).expect("a right one");
    let mut device = Device::n150();
    let made = manifest.prepare(&mut device, &Overrides::default(), &Catalogue).expect("programs");
    let mut prepared = made.prepared;
    for program in &mut prepared.programs {
        program.compile(device.architecture(), workshop, &|_, _| {}).expect("kernels");
    }
    (manifest, prepared)
}

/// What one schedule finds.
fn run(prepared: &Prepared, options: RunOptions) -> Vec<Finding> {
    let mut device = Device::n150();
    let program = prepared.programs.first().expect("a program");
    let mut session = Session::new(program, &Tools::all());
    let outcome = program.run(&mut device, options, &mut [&mut session]).expect("stacks");
    session.findings(program, &outcome)
}

/// In how many schedules a faulty program is found out.
fn found_in(workshop: &Workshop, trial: &Trial, seeds: Range<u64>) -> u64 {
    let Trial(name, ids, _) = trial;
    let (_, prepared) = prepare(workshop, &format!("{name}_bug"));
    let mut count = 0;
    for seed in seeds {
        let found = run(&prepared, RunOptions { seed, ..RunOptions::USUAL });
        let is_named = found.iter().all(|finding| ids.contains(&finding.id));
        assert!(is_named, "{name}, seed {seed}: another name for it: {found:#?}");
        count += u64::from(!found.is_empty());
    }
    count
}

/// Every fault is found by its name, in as many schedules as it was when it was written down.
pub fn faults_are_found(seeds: &Range<u64>) {
    let Some(workshop) = workshop() else { return };
    let all = seeds.end - seeds.start;
    for trial in &TRIALS {
        let (count, Trial(name, _, least)) = (found_in(&workshop, trial, seeds.clone()), trial);
        eprintln!("{name}: {count} of {all}");
        // Few schedules may miss what many show.
        let least = if all < 64 && *least < 64 { u64::from(*least > 20) } else { least * all / 64 };
        assert!(count >= least, "{name}: found in {count} of {all} schedules, less than {least}");
    }
}

/// No schedule, timed or late, accuses a right program.
pub fn twins_are_silent(seeds: &Range<u64>) {
    let Some(workshop) = workshop() else { return };
    for Trial(name, ..) in &TRIALS {
        let (_, prepared) = prepare(&workshop, &format!("{name}_ok"));
        for noc in [NocMode::Timed, NocMode::Late] {
            for seed in seeds.clone() {
                let found = run(&prepared, RunOptions { seed, noc, ..RunOptions::USUAL });
                assert!(found.is_empty(), "{name}_ok, {noc:?}, seed {seed}: {found:#?}");
            }
        }
    }
}
