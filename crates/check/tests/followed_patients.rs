//! The tools init and value on whole operations: silent on those that are right at shapes with
//! padding, and on LayerNorm with a fault the finding that names it.

use crate::patient;
use tilewright_check::{Finding, FindingId, Session, Tools};
use tilewright_metal::{Device, Family, NocMode, Program, RunOptions, Shape};
use tilewright_ops::Request;
use tilewright_ops::layernorm::fused_rm::{self, Options};
use tilewright_ops::layernorm::published::Faults;
use tilewright_tile::DataFormat;

const OPTIONS: RunOptions = RunOptions { threads: 2, ..RunOptions::USUAL };

fn findings(device: &mut Device, program: &Program, options: RunOptions) -> Vec<Finding> {
    let mut session = Session::new(program, &Tools::all());
    let outcome = program.run(device, options, &mut [&mut session]).expect("stacks");
    session.findings(program, &outcome)
}

fn published(shape: &str, faults: Faults) -> Vec<Finding> {
    let (mut device, program) = patient::published(shape, faults);
    findings(&mut device, &program, OPTIONS)
}

const SHAPES: [&str; 2] = ["40x213", "33x5301"];

#[track_caller]
fn expect(faults: Faults, shape: &str, id: FindingId, title: &str) {
    let found = published(shape, faults);
    assert!(found.iter().all(|finding| finding.id == id), "{shape}: {found:#?}");
    assert_eq!(found.first().map(|finding| finding.title.as_str()), Some(title), "{found:#?}");
}

#[test]
fn a_dropped_tile_is_missed_in_the_row_sums() {
    let faults = Faults { dropped_last_tile: true, ..Faults::REPAIRED };
    let lost = FindingId::LostContribution;
    let title = "a page of `cb_sum_dy_gamma` holds 6 of the 7 tiles of `gamma` it must hold";
    expect(faults, SHAPES[0], lost, title);
    let title = "a page of `cb_sum_dy_gamma` holds 165 of the 166 tiles of `gamma` it must hold";
    expect(faults, SHAPES[1], lost, title);
}

#[test]
fn an_overwritten_sum_has_lost_what_came_before() {
    let faults = Faults { overwritten_sum: true, ..Faults::REPAIRED };
    let title = "a page of `cb_sum_dy_gamma` holds 2 of the 7 tiles of `gamma` it must hold";
    expect(faults, SHAPES[0], FindingId::LostContribution, title);
}

#[test]
fn an_unmasked_tail_lets_padding_through() {
    let faults = Faults { unmasked_tail: true, ..Faults::REPAIRED };
    let title = "`dx` tile (0,0) depends on the padding of `x`";
    expect(faults, SHAPES[0], FindingId::PaddingInOutput, title);
}

/// Every operation, with each of its choices at its first values and at others.
#[test]
fn operations_that_are_right_have_no_findings() {
    let choices: [(&str, &[(&str, &str)]); 14] = [
        ("eltwise", &[("op", "mul"), ("broadcast", "row")]),
        ("eltwise", &[("op", "sub"), ("broadcast", "column")]),
        ("eltwise", &[("op", "add"), ("broadcast", "scalar"), ("engine", "sfpu")]),
        ("eltwise", &[("op", "div"), ("broadcast", "row"), ("engine", "sfpu")]),
        ("reduce", &[("dim", "column")]),
        ("reduce", &[("dim", "scalar"), ("pool", "max")]),
        ("reduce", &[("dim", "row"), ("pool", "avg")]),
        ("matmul", &[("n", "50")]),
        ("softmax", &[("path", "blocks")]),
        ("softmax", &[("path", "row")]),
        ("layernorm-fw", &[("path", "block")]),
        ("layernorm-bw", &[("path", "block")]),
        ("layernorm-rm", &[("path", "block")]),
        ("layernorm-rm", &[("path", "row")]),
    ];
    let plain = tilewright_ops::operations().iter().map(|it| (it.name(), &[] as &[_]));
    for (name, choices) in plain.chain(choices) {
        for (shape, seed) in [("2x1x40x70", 0), ("1x3x33x257", 3), ("32x416", 7), ("1x1x7x5", 11)] {
            for format in [DataFormat::Bfloat16, DataFormat::Float32] {
                silent(name, choices, shape, format, seed);
            }
        }
    }
}

fn silent(name: &str, choices: &[(&str, &str)], shape: &str, format: DataFormat, seed: u64) {
    let operation = tilewright_ops::find(name).expect("an operation");
    let mut device = Device::n150();
    let mut request = Request::new(shape.parse().expect("a shape"), format);
    request.cores = 3 + seed as u32;
    request.settings = operation.settings(format);
    for (name, value) in choices {
        request = request.choose(name, value);
    }
    // The row-major operation takes whole faces of bf16 alone.
    let is_refused = name == "layernorm-rm"
        && (format != DataFormat::Bfloat16 || !request.shape.width().is_multiple_of(32));
    let prepared = match operation.prepare(&mut device, &request) {
        Ok(prepared) => prepared,
        Err(error) => {
            assert!(is_refused, "{name} {choices:?} {shape} {format}: {error}");
            return;
        }
    };
    assert!(!is_refused, "{name} {choices:?} {shape} {format} is not refused");
    for program in &prepared.programs {
        let noc = if seed.is_multiple_of(2) { NocMode::Timed } else { NocMode::Late };
        let found = findings(&mut device, program, RunOptions { seed, noc, ..OPTIONS });
        assert!(found.is_empty(), "{name} {choices:?} {shape} {format}: {found:#?}");
    }
}

/// The row-major kernel whose reader reads β over γ: no element of y has seen γ.
#[test]
fn a_parameter_that_was_read_over_is_missed() {
    let mut device = Device::n150();
    let (shape, row) = (Shape::new(&[64, 416]).expect("a shape"), Shape::new(&[416]).expect("one"));
    let tensor = |device: &mut Device, shape: Shape, stream| {
        let values = Family::Uniform.values(&shape, 7, stream);
        let host = tilewright_metal::Tensor::from_f32(shape, &values).expect("values");
        let layout = tilewright_metal::Layout::RowMajor;
        let host = host.convert_padded(layout, DataFormat::Bfloat16, 0.0).expect("a tensor");
        host.to_device(device, tilewright_metal::Storage::Dram).expect("room")
    };
    let (x, gamma) = (tensor(&mut device, shape, 0), tensor(&mut device, row, 1));
    let beta = tensor(&mut device, row, 2);
    for (is_faulty, ids) in [(false, vec![]), (true, vec![FindingId::LostContribution])] {
        let faults = fused_rm::Faults { overwritten_gamma: is_faulty, ..Default::default() };
        let options = Options { cores: 2, ..Options::default() };
        let call = fused_rm::faulty(&mut device, x, gamma, beta, 1e-5, &options, faults)
            .expect("a program that fits");
        let found = findings(&mut device, &call.program, OPTIONS);
        let seen: Vec<FindingId> = found.iter().map(|finding| finding.id).collect();
        assert_eq!(seen, ids, "{found:#?}");
        let has = "`y` tile (0,0) holds 0 of the 1 tile of `gamma` it must hold";
        assert!(found.iter().all(|finding| finding.title == has), "{found:#?}");
    }
}
