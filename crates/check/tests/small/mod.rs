//! Small programs, their buffers and kernels given by a test, watched by tools; and what is found
//! in them, as a terminal shows it. `TILEWRIGHT_BLESS=1` writes the expected texts anew.

use std::env;
use std::path::Path;

use tilewright_check::{Finding, Report, Session, Tools};
use tilewright_metal::api::{Compute, DataMovement};
#[cfg(target_os = "linux")]
use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_metal::{
    CbSpec, ComputeConfig, CoreCoord, CoreRange, Device, Outcome, Program, ProgramBuilder,
    RunOptions,
};
use tilewright_report::record;
use tilewright_report::terminal::{self, Paint};
use tilewright_testing::drawn;
use tilewright_tile::DataFormat::{Bfloat16, Float32};
use tilewright_tile::DstWidth;

use crate::common::Rig;

pub const CORES: CoreRange = CoreRange::new(CoreCoord::new(0, 0), CoreCoord::new(1, 0));

pub type Movement = fn(&DataMovement<'_>);
pub type Computing = fn(&Compute<'_>);

pub fn idle(_: &DataMovement<'_>) {}
pub fn no_compute(_: &Compute<'_>) {}

/// A program that was run under tools.
pub struct Watched {
    pub program: Program,
    pub outcome: Outcome,
    pub report: Report,
}

/// Runs the program of a rig under tools.
pub fn watch(rig: &mut Rig, tools: &str, options: RunOptions) -> Watched {
    let program = rig.build();
    let session = Session::new(&program, &Tools::parse(tools).expect("tools"));
    watch_with(session, &mut rig.device, program, options)
}

/// The same with a session that the test has made.
pub fn watch_with(
    mut session: Session,
    device: &mut Device,
    program: Program,
    options: RunOptions,
) -> Watched {
    let outcome = program.run(device, options, &mut [&mut session]).expect("stacks");
    let report = session.report(&program, &outcome);
    Watched { program, outcome, report }
}

/// The host's compiler for C++ kernels; without one, the test is skipped.
#[cfg(target_os = "linux")]
pub fn workshop() -> Option<Workshop> {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tilewright"));
    let opened = Workshop::open(&CompileOptions { cache, ..CompileOptions::default() });
    opened.map_err(|error| tilewright_testing::skip!(error)).ok()
}

/// Files are named from the root of the repository, as on the command line there.
pub fn go_to_root() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    env::set_current_dir(root).expect("the root of the repository");
}

/// The finding as a terminal shows it, with the command that repeats it.
pub fn draw_with(finding: &Finding, replay: &str) -> String {
    go_to_root();
    assert!(finding.title.len() <= 100, "{}", finding.title);
    terminal::finding(&record::Finding::from(finding), replay, Paint::Plain)
}

pub fn draw(finding: &Finding) -> String {
    draw_with(finding, "tilewright run small --seed 7")
}

/// Demands that the text is the one stored under a name, whatever the lines of the tests are.
#[track_caller]
pub fn check(name: &str, text: &str) {
    drawn::check(env!("CARGO_MANIFEST_DIR"), name, text);
}

pub fn ids(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.id.name()).collect()
}

/// This finding alone, drawn as stored.
#[track_caller]
pub fn is_alone(found: &[Finding], (name, id): (&str, &str)) {
    assert_eq!(ids(found), [id], "{found:#?}");
    check(name, &draw(&found[0]));
}

/// Buffers and allows of a program.
pub type Setup = fn(&mut ProgramBuilder);

/// `cb_in` (0) and `cb_out` (16) of bf16, `cb_wide` (1) and `cb_sum` (17) of fp32, of two pages.
pub fn usual(builder: &mut ProgramBuilder) {
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(1, "cb_wide", Float32, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(17, "cb_sum", Float32, 2));
}

/// A program with a 32-bit Dst.
pub fn wide(setup: Setup, reader: Movement, compute: Computing, writer: Movement) -> Rig {
    let mut rig = Rig::new();
    setup(&mut rig.builder);
    let mut config = ComputeConfig::default();
    config.settings.width = DstWidth::Bits32;
    rig.reader(CORES, reader);
    rig.compute(CORES, config, compute);
    rig.writer(CORES, writer);
    rig
}

/// What the tools for rings, Dst, formats and memory say of a program with a 32-bit Dst.
pub fn run(setup: Setup, reader: Movement, compute: Computing, writer: Movement) -> Report {
    let mut rig = wide(setup, reader, compute, writer);
    watch(&mut rig, "sync,dst,format,memory", RunOptions::default()).report
}

/// The program has this finding alone, drawn as stored.
#[track_caller]
pub fn finds(
    names: (&str, &str),
    setup: Setup,
    reader: Movement,
    compute: Computing,
    writer: Movement,
) {
    is_alone(&run(setup, reader, compute, writer).findings(), names);
}

/// Nothing is found.
#[track_caller]
pub fn silent(setup: Setup, reader: Movement, compute: Computing, writer: Movement) {
    let found = run(setup, reader, compute, writer).findings();
    assert!(found.is_empty(), "{found:#?}");
}

/// Pushes tiles of zeros, one after the other.
pub fn fill(k: &DataMovement<'_>, cb: u8, pages: u32) {
    for _ in 0..pages {
        k.cb_reserve_back(cb, 1);
        let at = k.get_write_ptr(cb);
        k.write_l1(at, k.get_tile_size(cb), |bytes| bytes.fill(0));
        k.cb_push_back(cb, 1);
    }
}

/// Waits for and pops pages, one after the other.
pub fn drain(k: &DataMovement<'_>, cb: u8, pages: u32) {
    for _ in 0..pages {
        k.cb_wait_front(cb, 1);
        k.cb_pop_front(cb, 1);
    }
}

/// Packs Dst tile 0 to a page of a buffer, and pushes it.
pub fn pack(k: &Compute<'_>, ocb: u8) {
    k.tile_regs_commit();
    k.cb_reserve_back(ocb, 1);
    k.tile_regs_wait();
    k.pack_tile(0, ocb);
    k.tile_regs_release();
    k.cb_push_back(ocb, 1);
}
