//! The published and the repaired LayerNorm backward kernel, bit for bit: every output and every
//! page that went through an internal buffer.
//!
//! This is the proof that the machine is the machine: Dst windows, the truncated scaler, the
//! mask, stale pages of a tail block and the released half all show in these bits.

use std::io::Read;
use std::path::Path as FilePath;

use serde_json::Value;
use tilewright_machine::{CbId, EventKind, Processor};
use tilewright_metal::{
    Device, DeviceTensor, Ending, Event, L1Address, Layout, Observer, Program, RunOptions, Shape,
    Storage, Tensor,
};
use tilewright_ops::layernorm::published::{Faults, Inputs, Outputs, Path, cb, program};
use tilewright_tile::{DataFormat, TILE_VALUES, index};

/// One recorded case: its description and the bytes of its tiles.
struct Case {
    json: Value,
    bytes: Vec<u8>,
}

impl Case {
    fn load(name: &str) -> Case {
        let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/kernels");
        let unpack = |ending: &str| {
            let file = std::fs::File::open(folder.join(format!("{name}.{ending}.zst")))
                .expect("the golden data is in the repository");
            let mut bytes = Vec::new();
            ruzstd::decoding::StreamingDecoder::new(file)
                .expect("a frame")
                .read_to_end(&mut bytes)
                .expect("a whole frame");
            bytes
        };
        let json = serde_json::from_slice(&unpack("json")).expect("JSON");
        Case { json, bytes: unpack("bin") }
    }

    fn number(&self, name: &str) -> usize {
        self.json["config"][name].as_u64().expect("a number") as usize
    }

    /// The tiles of an array, as bytes in tile layout.
    fn tiles(&self, array: &Value) -> Vec<&[u8]> {
        let size = if array["t"] == "u32" { 4 } else { 2 } * TILE_VALUES;
        let offsets = array["tiles"].as_array().expect("a list").iter();
        offsets
            .map(|offset| offset.as_u64().expect("an offset") as usize)
            .map(|offset| &self.bytes[offset..offset + size])
            .collect()
    }

    fn tensor(&self, device: &mut Device, name: &str, rows: usize, width: usize) -> DeviceTensor {
        let shape = Shape::new(&[rows, width]).expect("a shape");
        let bytes = self.tiles(&self.json["inputs"][name]).concat();
        Tensor::from_bytes(shape, Layout::Tile, DataFormat::Bfloat16, bytes)
            .expect("whole tiles")
            .to_device(device, Storage::Dram)
            .expect("room")
    }

    fn run(&self, kernel: &str) -> &Value {
        let runs = self.json["runs"].as_array().expect("a list");
        runs.iter().find(|run| run["kernel"] == kernel).expect("a run")
    }
}

/// A device with a case's inputs and a program for it.
struct Setup {
    device: Device,
    outputs: Outputs,
    program: Program,
}

fn setup(case: &Case, faults: Faults) -> Setup {
    let mut device = Device::n150();
    let (rows, features) = (case.number("rows"), case.number("N"));
    let inputs = Inputs {
        x: case.tensor(&mut device, "x", rows, features),
        gamma: case.tensor(&mut device, "gamma", 1, features),
        mean: case.tensor(&mut device, "mean", rows, 1),
        rstd: case.tensor(&mut device, "rstd", rows, 1),
        dy: case.tensor(&mut device, "dy", rows, features),
    };
    let mut output = || {
        let shape = Shape::new(&[rows, features]).expect("a shape");
        let (layout, format) = (Layout::Tile, DataFormat::Bfloat16);
        DeviceTensor::zeros(&mut device, shape, layout, format, Storage::Dram).expect("room")
    };
    let outputs = Outputs { dx: output(), dgamma: output(), dbeta: output() };
    let path = if case.json["config"]["path"] == "block" { Path::Block } else { Path::Row };
    let program =
        program(&device, &inputs, &outputs, path, faults, 1).expect("a program that fits");
    Setup { device, outputs, program }
}

/// Where and when pack pushed pages to internal buffers.
#[derive(Default)]
struct Pushes {
    packed: Option<(L1Address, u32)>,
    pushed: Vec<(u64, CbId, L1Address, u32)>,
}

impl Observer for Pushes {
    fn event(&mut self, event: &Event) {
        if event.processor.processor != Processor::Pack {
            return;
        }
        if let EventKind::Packed { to, bytes, .. } = event.kind {
            self.packed = Some((to, bytes));
        }
        if let EventKind::Pushed { cb, .. } = event.kind {
            let (at, bytes) = self.packed.expect("packed before it is pushed");
            self.pushed.push((event.cycle.0, cb, at, bytes));
        }
    }
}

#[track_caller]
fn check(name: &str, kernel: &str, faults: Faults, seed: u64) {
    let case = Case::load(name);
    let run = case.run(kernel);
    let mut setup = setup(&case, faults);
    let options = RunOptions { seed, ..RunOptions::default() };
    let mut pushes = Pushes::default();
    let outcome =
        setup.program.run(&mut setup.device, options, &mut [&mut pushes]).expect("stacks");
    assert_eq!(outcome.ending, Ending::Completed);
    let (rows, features) = (case.number("rows"), case.number("N"));
    for (output, tensor) in [
        ("dx", &setup.outputs.dx),
        ("dgamma_components", &setup.outputs.dgamma),
        ("dbeta_components", &setup.outputs.dbeta),
    ] {
        let got = tensor.buffer.read(&mut setup.device).expect("pages");
        let wanted = case.tiles(&run["outputs"][output]).concat();
        same_values(&got, &wanted, rows, features, &format!("{name} {kernel} {output}"));
    }
    for (buffer, name) in [
        (cb::MEAN_BCAST, "c_8"),
        (cb::RSTD_BCAST, "c_12"),
        (cb::SUM_DY_GAMMA, "c_13"),
        (cb::SUM_DY_GAMMA_X_HAT, "c_14"),
    ] {
        let mut pushed: Vec<_> =
            pushes.pushed.iter().filter(|push| push.1 == CbId(buffer)).collect();
        // The repaired block path also keeps its running sum there; the last two are recorded.
        let wanted = case.tiles(&run["intermediates"][name]);
        pushed.drain(..pushed.len() - wanted.len());
        for (push, wanted) in pushed.iter().zip(&wanted) {
            let page = page_at(&case, faults, seed, push);
            assert!(page == *wanted, "{name} of {kernel} differs at cycle {}", push.0);
        }
    }
}

/// The page as it was when it was pushed: the same run, stopped at that cycle.
fn page_at(case: &Case, faults: Faults, seed: u64, push: &(u64, CbId, L1Address, u32)) -> Vec<u8> {
    let mut setup = setup(case, faults);
    let options = RunOptions { seed, cycle_limit: push.0, ..RunOptions::default() };
    setup.program.run(&mut setup.device, options, &mut []).expect("stacks");
    let core = setup.device.machine().core(Default::default()).expect("core (0,0)");
    core.l1().get(push.2, push.3 as usize).expect("inside L1").to_vec()
}

#[track_caller]
fn same_values(got: &[u8], wanted: &[u8], rows: usize, features: usize, what: &str) {
    let tile_bytes = 2 * TILE_VALUES;
    for row in 0..rows {
        for column in 0..features {
            let place = column / 32 * tile_bytes + 2 * index(row % 32, column % 32);
            let bits = |bytes: &[u8]| u16::from_le_bytes([bytes[place], bytes[place + 1]]);
            assert_eq!(
                format!("{:04x}", bits(got)),
                format!("{:04x}", bits(wanted)),
                "{what} at row {row}, column {column}"
            );
        }
    }
}

const CASES: [&str; 4] = [
    "lnbw_rand_n213_l1",
    "lnbw_rand_n33_blk",
    "lnbw_const_dy1_g1_x0.5_n2048_l1",
    "lnbw_const_dy1_g1_x0.5_n8462_blk",
];

#[test]
fn the_repaired_kernel_gives_every_recorded_bit() {
    CASES.iter().for_each(|case| check(case, "repaired", Faults::REPAIRED, 0));
}

#[test]
fn the_published_kernel_gives_every_recorded_bit() {
    CASES.iter().for_each(|case| check(case, "published", Faults::PUBLISHED, 0));
}
