//! A small program on two cores, its buffers and kernels given by a test, watched by all tools.

use std::env;
use std::path::Path;

use tilewright_check::{Report, Session, Tools};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, CoreRange, DataMovementPlace, Device,
    ProgramBuilder, RunOptions,
};
use tilewright_report::record::Finding;
use tilewright_report::terminal::{self, Paint};
use tilewright_tile::DataFormat::{Bfloat16, Float32};
use tilewright_tile::DstWidth;

/// Demands that the text is the one stored under a name, whatever the lines of the tests are.
#[track_caller]
pub fn check(name: &str, text: &str) {
    tilewright_testing::drawn::check(env!("CARGO_MANIFEST_DIR"), name, text);
}

pub const CORES: CoreRange = CoreRange::new(CoreCoord::new(0, 0), CoreCoord::new(1, 0));

pub type Movement = fn(&DataMovement<'_>);
pub type Computing = fn(&Compute<'_>);

/// Buffers and allows of a program.
pub type Setup = fn(&mut ProgramBuilder);

/// `cb_in` (0) and `cb_out` (16) of bf16, `cb_wide` (1) and `cb_sum` (17) of fp32, of two pages.
pub fn usual(builder: &mut ProgramBuilder) {
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(1, "cb_wide", Float32, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(17, "cb_sum", Float32, 2));
}

/// What the tools say of the program, with a 32-bit Dst.
pub fn run(setup: Setup, reader: Movement, compute: Computing, writer: Movement) -> Report {
    let mut device = Device::n150();
    let mut builder = tilewright_metal::Program::builder("small");
    setup(&mut builder);
    let mut config = ComputeConfig::default();
    config.settings.width = DstWidth::Bits32;
    let none = CompileTimeArgs::default;
    builder.data_movement("reader", CORES, DataMovementPlace::Reader, none(), reader);
    builder.compute("compute", CORES, config, none(), compute);
    builder.data_movement("writer", CORES, DataMovementPlace::Writer, none(), writer);
    let program = builder.build(device.architecture(), device.l1_lowest()).expect("a program");
    let mut session =
        Session::new(&program, &Tools::parse("sync,dst,format,memory").expect("tools"));
    let options = RunOptions::default();
    let outcome = program.run(&mut device, options, &mut [&mut session]).expect("stacks");
    session.report(&program, &outcome)
}

/// The finding as a terminal shows it at the root of the repository.
pub fn draw(finding: &tilewright_check::Finding) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    env::set_current_dir(root).expect("the root of the repository");
    assert!(finding.title.len() <= 100, "{}", finding.title);
    terminal::finding(&Finding::from(finding), "tilewright run small --seed 7", Paint::Plain)
}

/// The program has this finding alone, drawn as stored.
#[track_caller]
pub fn finds(
    (name, id): (&str, &str),
    setup: Setup,
    reader: Movement,
    compute: Computing,
    writer: Movement,
) {
    let found = run(setup, reader, compute, writer).findings();
    let ids: Vec<&str> = found.iter().map(|finding| finding.id.name()).collect();
    assert_eq!(ids, [id], "{found:#?}");
    check(name, &draw(&found[0]));
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
