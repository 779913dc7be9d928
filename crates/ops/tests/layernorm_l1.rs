//! What fits in L1: the widest row that each LayerNorm keeps there, and both paths on both sides.

use crate::common::{outputs, usual, with_device};
use tilewright_metal::{
    Device, DeviceTensor, Layout, Prepared, Program, ProgramError, RunOptions, Shape, Storage,
};
use tilewright_ops::judge::judge;
use tilewright_ops::layernorm::published::{Faults, Inputs, Outputs, Path, path, program};
use tilewright_ops::{OpError, Request, find};
use tilewright_tile::DataFormat;

/// A request for two rows of so many tiles; the last tile is masked.
fn request(name: &str, format: DataFormat, tiles: u32, path: &str) -> Request {
    usual(name, &format!("2x{}", 32 * tiles - 5), format).choose("path", path)
}

fn prepare(name: &str, format: DataFormat, tiles: u32, path: &str) -> Result<Prepared, OpError> {
    let request = request(name, format, tiles, path);
    with_device(|device| find(name).expect("an operation").prepare(device, &request))
}

fn is_too_much(prepared: &Result<Prepared, OpError>) -> bool {
    matches!(prepared, Err(OpError::Program(ProgramError::TooMuchL1 { .. })))
}

fn bytes(program: &Program) -> u64 {
    program.circular_buffer_bytes(Default::default())
}

/// How many tiles of x the first program's ring holds.
fn x_tiles(prepared: &Prepared) -> u32 {
    let rings = prepared.programs[0].circular_buffers().iter().flat_map(|ring| &ring.specs);
    rings.filter(|ring| ring.name == "cb_x").map(|ring| ring.pages).sum()
}

/// The widest row by the budget: what L1 leaves, what every row needs, what each tile adds.
fn widest(name: &str, format: DataFormat) -> u32 {
    let need = |tiles| bytes(&prepare(name, format, tiles, "row").expect("fits").programs[0]);
    let room = with_device(|device| {
        u64::from(device.l1_lowest()) - u64::from(device.architecture().l1_base)
    });
    let a_tile = need(2) - need(1);
    ((room - (need(1) - a_tile)) / a_tile) as u32
}

#[track_caller]
fn check(name: &str, format: DataFormat, tiles: u32) {
    assert_eq!(widest(name, format), tiles, "{name} {format}");
    assert!(prepare(name, format, tiles, "row").is_ok(), "{name} {format}");
    assert!(is_too_much(&prepare(name, format, tiles + 1, "row")), "{name} {format}");
    let chosen = |tiles| x_tiles(&prepare(name, format, tiles, "auto").expect("a path"));
    assert_eq!(chosen(tiles), tiles, "the whole row");
    assert!(chosen(tiles + 1) < tiles, "blocks");
    let mut at_threshold = Vec::new();
    for (tiles, path) in [(tiles, "row"), (tiles, "block"), (tiles + 1, "auto")] {
        let request = request(name, format, tiles, path);
        let values = with_device(|device| {
            let operation = find(name).expect("an operation");
            let prepared = operation.prepare(device, &request).expect("a right request");
            let values = outputs(device, &prepared, RunOptions::default());
            for (output, values) in prepared.outputs.iter().zip(&values) {
                let judged = judge(values, &(output.reference)());
                assert!(judged.in_bound, "{request:?} {}: {judged:?}", output.name);
            }
            values
        });
        at_threshold.push(values);
    }
    assert!(at_threshold[0] == at_threshold[1], "{name} {format}: paths differ");
}

#[test]
fn forward_keeps_what_fits() {
    check("layernorm-fw", DataFormat::Bfloat16, 217);
    check("layernorm-fw", DataFormat::Float32, 106);
}

#[test]
fn backward_keeps_what_fits() {
    check("layernorm-bw", DataFormat::Bfloat16, 218);
    check("layernorm-bw", DataFormat::Float32, 107);
}

fn published(device: &mut Device, tiles: usize) -> (Path, Result<Program, OpError>) {
    let shape = Shape::new(&[32, 32 * tiles]).expect("a shape");
    let mut zeros = |rows: usize, width: usize| {
        let shape = Shape::new(&[rows, width]).expect("a shape");
        let (layout, format) = (Layout::Tile, DataFormat::Bfloat16);
        DeviceTensor::zeros(device, shape, layout, format, Storage::Dram).expect("room")
    };
    let inputs = Inputs {
        x: zeros(32, shape.width()),
        gamma: zeros(1, shape.width()),
        mean: zeros(32, 1),
        rstd: zeros(32, 1),
        dy: zeros(32, shape.width()),
    };
    let mut output = || zeros(32, shape.width());
    let outputs = Outputs { dx: output(), dgamma: output(), dbeta: output() };
    let program = program(device, &inputs, &outputs, Path::Row, Faults::PUBLISHED, 1);
    (path(device, &shape), program)
}

/// 5,184 features, and not the "about 1,024" of the reports.
#[test]
fn the_published_program_keeps_162_tiles() {
    with_device(|device| {
        let (path, program) = published(device, 162);
        assert_eq!(path, Path::Row);
        assert!(program.is_ok(), "{:?}", program.err());
        let (path, program) = published(device, 163);
        assert_eq!(path, Path::Block);
        let error = program.err().expect("a refusal");
        assert!(matches!(error, OpError::Program(ProgramError::TooMuchL1 { .. })), "{error}");
    });
}
