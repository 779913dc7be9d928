//! Outputs outside their bounds as findings: alone, explained by another one, allowed, and not
//! looked for.

use crate::common::Rig;
use crate::small::{CORES, Computing, check, draw_with, watch_with};
use tilewright_check::{Finding, FindingId, Report, Session, Tools};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, Cycle, DataMovementPlace, Device, DeviceTensor, Extent,
    Layout, Prepared, ProgramBuilder, RunOptions, Shape, Storage, Tensor,
};
use tilewright_ops::judge::judge;
use tilewright_run::{Outputs, beyond};
use tilewright_tile::DataFormat::Bfloat16;
use tilewright_tile::bound::Approx;

const SHAPE: &str = "2x40x64";
/// Half a unit in the last place of 1.5 in bf16.
const HALF_UNIT: f64 = 1.0 / 256.0;

/// Two of the four rows of tiles are a core's.
fn reader(k: &DataMovement<'_>) {
    let (x, _) = k.tensor_accessor(0, k.arg(0));
    for page in 4 * k.arg(1)..4 * k.arg(1) + 4 {
        k.cb_reserve_back(0, 1);
        k.noc_async_read_page(page, &x, k.get_write_ptr(0));
        k.noc_async_read_barrier();
        k.cb_push_back(0, 1);
    }
}

fn writer(k: &DataMovement<'_>) {
    let (y, _) = k.tensor_accessor(0, k.arg(0));
    for page in 4 * k.arg(1)..4 * k.arg(1) + 4 {
        k.cb_wait_front(16, 1);
        k.noc_async_write_page(page, &y, k.get_read_ptr(16));
        k.noc_async_write_barrier();
        k.cb_pop_front(16, 1);
    }
}

/// Multiplies each tile by what `factor` says for its turn.
fn scale(k: &Compute<'_>, factor: impl Fn(u32) -> f32) {
    k.compute_kernel_hw_startup(0, 0, 16);
    k.copy_tile_init(0);
    k.binop_with_scalar_tile_init();
    for turn in 0..4 {
        k.cb_wait_front(0, 1);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.mul_unary_tile(0, factor(turn).to_bits());
        k.tile_regs_commit();
        k.cb_pop_front(0, 1);
        k.cb_reserve_back(16, 1);
        k.tile_regs_wait();
        k.pack_tile(0, 16);
        k.tile_regs_release();
        k.cb_push_back(16, 1);
    }
}

/// How a program declares `x` and `y`.
type Declare = fn(&mut ProgramBuilder, &DeviceTensor, &DeviceTensor);
const USUAL: Declare = |builder, x, y| {
    builder.input("x", x).output("y", y);
};

/// What the tools say of `y`, which should be 1.5, and of its values.
fn run(tools: &str, allow: &[FindingId], compute: Computing) -> Report {
    run_padded(tools, allow, compute, (0.0, USUAL))
}

/// The same with a value in the padding of `x`.
fn run_padded(
    tools: &str,
    allow: &[FindingId],
    compute: Computing,
    (padding, declare): (f32, Declare),
) -> Report {
    let mut device = Device::n150();
    let shape: Shape = SHAPE.parse().expect("a shape");
    let host = Tensor::from_f32(shape, &vec![1.0; shape.volume()]).expect("values");
    let host = host.convert_padded(Layout::Tile, Bfloat16, padding).expect("a tensor");
    let x = host.to_device(&mut device, Storage::Dram).expect("room");
    let y = DeviceTensor::empty(&mut device, shape, Layout::Tile, Bfloat16, Storage::Dram);
    let y = y.expect("room");
    let mut rig = Rig::on(device);
    let builder = &mut rig.builder;
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 2));
    declare(builder, &x, &y);
    builder.contributes("y", "x", Extent::Same, Extent::Same);
    let args = |tensor: &DeviceTensor| {
        let mut words = Vec::new();
        tensor.accessor_args().append_to(&mut words);
        CompileTimeArgs::positional(&words)
    };
    let (read_at, write_at) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
    let read = builder.data_movement("reader", CORES, read_at, args(&x), reader);
    let none = CompileTimeArgs::default();
    builder.compute("compute", CORES, ComputeConfig::default(), none, compute);
    let write = builder.data_movement("writer", CORES, write_at, args(&y), writer);
    for core in CORES.cores() {
        builder.runtime_args(read, core, &[x.buffer.address_word(), u32::from(core.x)]);
        builder.runtime_args(write, core, &[y.buffer.address_word(), u32::from(core.x)]);
    }
    let program = rig.build();
    let tools = Tools::parse(tools).expect("tools");
    let session = Session::new(&program, &tools).allow(allow.iter().copied());
    let mut device = rig.device;
    let watched = watch_with(session, &mut device, program, RunOptions::default());
    let (program, outcome, mut report) = (watched.program, watched.outcome, watched.report);
    let values = y.to_host(&mut device).expect("values").to_f32();
    let judged = judge(&values, &vec![Approx::new(1.5, HALF_UNIT); shape.volume()]);
    if let Some(beyond) = beyond("y", &shape, &judged) {
        report.beyond_bound(&beyond, Cycle(outcome.cycles.0));
    }
    let prepared = Prepared { programs: vec![program], input_tiles: 8, outputs: Vec::new() };
    let outputs = Outputs::read(&prepared, &mut device).expect("values");
    for fault in outputs.padding_faults(&prepared, &mut device).expect("values") {
        report.output_padding(&fault, Cycle(outcome.cycles.0));
    }
    report
}

fn draw(finding: &Finding) -> String {
    draw_with(finding, "tilewright run scale")
}

fn ids(report: &Report) -> Vec<&str> {
    report.sightings.iter().map(|sighting| sighting.finding.id.name()).collect()
}

/// The third and fourth tile of each core are four units off.
const WRONG: Computing = |k| scale(k, |turn| if turn < 2 { 1.5 } else { 1.53125 });

#[test]
fn elements_outside_their_bounds_are_a_finding() {
    let report = run("all", &[], WRONG);
    assert_eq!(ids(&report), ["beyond-bound"], "{report:#?}");
    let finding = &report.sightings[0].finding;
    check("beyond-bound", &draw(finding));
    // Two tiles of eight rows on each core, two matrices.
    assert_eq!(finding.title, "1024 of 5120 elements of `y` are outside their bounds");
    assert_eq!(finding.count, 2);
}

const ZERO: Declare = |builder, x, y| {
    builder.input("x", x).zero_padded_output("y", y);
};
const UNCHANGED: Declare = |builder, x, y| {
    builder.input("x", x).output_padded_as("y", y, "x");
};
/// Multiplies the values, padding and all.
const RIGHT: Computing = |k| scale(k, |_| 1.5);

/// The rows from 40 on of each matrix are padding: 24 of 64 columns.
#[test]
fn padding_that_is_not_as_declared_is_a_finding() {
    for (name, padding, declare) in
        [("output-padding", 2.0, ZERO), ("output-padding-unchanged", 2.0, UNCHANGED)]
    {
        let report = run_padded("all", &[], RIGHT, (padding, declare));
        assert_eq!(ids(&report), ["output-padding"], "{report:#?}");
        check(name, &draw(&report.sightings[0].finding));
    }
    // A denormal that the packers flush and a value in one place are other variants of it.
    let report = run_padded("all", &[], RIGHT, (f32::MIN_POSITIVE / 2.0, UNCHANGED));
    assert_eq!(ids(&report), ["output-padding"], "{report:#?}");
    let report = run_padded("all", &[], WRONG, (1.0, ZERO));
    assert_eq!(ids(&report), ["beyond-bound", "output-padding"], "{report:#?}");
}

#[test]
fn padding_that_is_as_declared_or_free_is_none() {
    for (padding, declare) in [(0.0, ZERO), (-0.0, ZERO), (0.0, UNCHANGED), (2.0, USUAL)] {
        let report = run_padded("all", &[], RIGHT, (padding, declare));
        assert!(ids(&report).is_empty(), "{padding}: {report:#?}");
    }
    let report = run_padded("all", &[FindingId::OutputPadding], RIGHT, (2.0, ZERO));
    assert!(ids(&report).is_empty() && report.allowed.len() == 1, "{report:#?}");
    for tools in ["none", "sync,race,init,memory,dst,format"] {
        assert!(ids(&run_padded(tools, &[], RIGHT, (2.0, ZERO))).is_empty());
    }
}

/// The bound itself is inside.
#[test]
fn elements_on_their_bounds_are_none() {
    let report = run("all", &[], |k| scale(k, |_| 1.5));
    assert!(ids(&report).is_empty(), "{report:#?}");
    let value = 1.5 + HALF_UNIT;
    let shape: Shape = "1x1".parse().expect("a shape");
    let outside =
        |got: f64| beyond("y", &shape, &judge(&[got as f32], &[Approx::new(1.5, HALF_UNIT)]));
    assert!(outside(value).is_none() && outside(value + HALF_UNIT / 4.0).is_some());
}

#[test]
fn the_tool_value_looks_for_it_and_it_can_be_allowed() {
    assert_eq!(ids(&run("value", &[], WRONG)), ["beyond-bound"]);
    for tools in ["none", "sync,race,init,memory,dst,format"] {
        let report = run(tools, &[], WRONG);
        assert!(ids(&report).is_empty() && report.allowed.is_empty(), "{report:#?}");
    }
    let report = run("all", &[FindingId::BeyondBound], WRONG);
    assert!(ids(&report).is_empty(), "{report:#?}");
    assert_eq!(report.allowed[0].id, FindingId::BeyondBound);
}

/// Two sums onto a value that was used: the values follow from that.
#[test]
fn a_finding_that_explains_the_values_has_them_as_its_consequence() {
    let compute: Computing = |k| {
        k.compute_kernel_hw_startup(0, 0, 16);
        for _ in 0..4 {
            k.cb_wait_front(0, 1);
            k.tile_regs_acquire();
            k.copy_tile_init(0);
            k.copy_tile(0, 0, 0);
            k.copy_tile(0, 0, 1);
            k.add_binary_tile_init();
            k.add_binary_tile(0, 1, 0);
            k.mul_init(0, 0);
            k.mul_tiles(0, 0, 0, 0, 1);
            k.add_binary_tile(0, 1, 0);
            k.tile_regs_commit();
            k.cb_pop_front(0, 1);
            k.cb_reserve_back(16, 1);
            k.tile_regs_wait();
            k.pack_tile(0, 16);
            k.tile_regs_release();
            k.cb_push_back(16, 1);
        }
    };
    let report = run("all", &[], compute);
    assert_eq!(ids(&report), ["stale-accumulation"], "{report:#?}");
    let follows = &report.sightings[0].finding.consequences;
    assert_eq!(
        follows[..],
        ["beyond-bound: 5120 of 5120 elements of `y` are outside their bounds"]
    );
    // What is meant explains nothing.
    let report = run("all", &[FindingId::StaleAccumulation], compute);
    assert_eq!(ids(&report), ["beyond-bound"], "{report:#?}");
}

/// A section that is never released changes no value of this program.
#[test]
fn a_finding_that_changes_no_value_explains_none() {
    let compute: Computing = |k| {
        WRONG(k);
        k.tile_regs_acquire();
    };
    let report = run("all", &[], compute);
    assert_eq!(ids(&report), ["unreleased-section", "beyond-bound"], "{report:#?}");
}
