//! Row-major LayerNorm: its eighteen refusals, and its values within their bounds.

use crate::common::{check, judged, usual, with_device};
use tilewright_machine::EventKind;
use tilewright_metal::{
    CoreCoord, CoreRange, Device, DeviceTensor, Ending, Event, Family, Layout, MemoryConfig,
    NocAddress, NocMode, Observer, RunOptions, Shape, ShardLayout, ShardOrientation, ShardSpec,
    Storage, Tensor,
};
use tilewright_ops::judge::judge;
use tilewright_ops::layernorm::Path;
use tilewright_ops::layernorm::fused_rm::{
    Argument, EPSILON, Faults, Options, faulty, layernorm_fused_rm,
};
use tilewright_ops::layernorm::reference::{ForwardInputs, forward};
use tilewright_ops::{Request, find};
use tilewright_tile::{DataFormat, Fidelity};

const NAME: &str = "layernorm-rm";

fn request(shape: &str) -> Request {
    usual(NAME, shape, DataFormat::Bfloat16)
}

/// The bits of y after a run.
#[track_caller]
fn bits(request: &Request, options: RunOptions) -> Vec<u16> {
    let mut device = Device::n150();
    let operation = find(NAME).expect("the operation");
    let prepared = operation.prepare(&mut device, request).expect("a right request");
    for outcome in prepared.run(&mut device, options, &mut []).expect("stacks") {
        assert_eq!(outcome.ending, Ending::Completed, "{request:?}");
    }
    prepared.outputs[0].tensor.to_host(&mut device).expect("y").to_bf16()
}

/// A state that an argument can be in.
#[derive(Clone, Copy)]
struct State {
    shape: &'static str,
    layout: Layout,
    format: DataFormat,
    memory: &'static str,
}

const fn right(shape: &'static str) -> State {
    let (layout, format) = (Layout::RowMajor, DataFormat::Bfloat16);
    State { shape, layout, format, memory: "device" }
}

fn argument(device: &mut Device, state: State) -> Argument {
    let State { shape, layout, format, memory } = state;
    let shape: Shape = shape.parse().expect("a shape");
    let tensor = Tensor::from_f32(shape, &vec![1.0; shape.volume()]).expect("a tensor");
    let tensor = tensor.convert(layout, format).expect("a tensor");
    match memory {
        "host" => tensor.into(),
        "sharded" => tensor.to_device(device, on_one_core(&shape, layout)).expect("room").into(),
        _ => tensor.to_device(device, Storage::Dram).expect("room").into(),
    }
}

/// All of a tensor in one shard.
fn on_one_core(shape: &Shape, layout: Layout) -> MemoryConfig {
    let core = CoreCoord::new(0, 0);
    let side = if layout == Layout::Tile { 32 } else { 1 };
    let whole = |values: usize| values.next_multiple_of(side) as u32;
    let spec = ShardSpec {
        layout: ShardLayout::Height,
        grid: vec![CoreRange::new(core, core)],
        shape: vec![whole(shape.volume() / shape.width()), whole(shape.width())],
        orientation: ShardOrientation::RowMajor,
    };
    MemoryConfig { storage: Storage::L1, shards: Some(spec) }
}

#[track_caller]
fn refused(states: [State; 3], epsilon: f32, message: &str) {
    let mut device = Device::n150();
    let [input, gamma, beta] = states.map(|state| argument(&mut device, state));
    let free = device.dram_next();
    let call = layernorm_fused_rm(&mut device, input, gamma, beta, epsilon, &Options::default());
    let error = call.err().expect("a refusal").to_string();
    assert_eq!(error, format!("layernorm_fused_rm: {message}"));
    assert_eq!(device.dram_next(), free, "a refused call allocates nothing");
}

#[test]
fn a_wrong_input_is_refused() {
    let tile = Layout::Tile;
    let fp32 = DataFormat::Float32;
    let right = right("2x64x96");
    // Each is wrong in all that the later ones are wrong in, so that the order shows.
    let cases = [
        (
            State { shape: "33", layout: tile, format: fp32, memory: "host" },
            "input is on the host; it must be on the device: copy it with `to_device`",
        ),
        (
            State { shape: "33", layout: tile, format: fp32, memory: "sharded" },
            "input is in tile layout; it must be in row-major",
        ),
        (
            State { shape: "33", format: fp32, memory: "sharded", ..right },
            "input is sharded over cores; it must be interleaved over banks",
        ),
        (
            State { shape: "33", format: fp32, ..right },
            "input has shape 33; it must have at least 2 dimensions, such as 32x33",
        ),
        (
            State { shape: "31x33", format: fp32, ..right },
            "input is Float32; it must be Float16_b (bf16)",
        ),
        (
            State { shape: "2x31x33", ..right },
            "input has shape 2x31x33, whose width 33 is not a multiple of 32; 64 would be",
        ),
        (
            State { shape: "2x31x96", ..right },
            "input has shape 2x31x96, whose height 31 is not a multiple of 32; 32 would be",
        ),
    ];
    for (input, message) in cases {
        let wrong = State { memory: "host", ..right };
        refused([input, wrong, wrong], 0.0, message);
    }
}

#[test]
fn wrong_gammas_and_betas_are_refused() {
    let (tile, fp32) = (Layout::Tile, DataFormat::Float32);
    let right = right("96");
    let cases = [
        (
            State { shape: "64", layout: tile, format: fp32, memory: "host" },
            "is on the host; it must be on the device: copy it with `to_device`",
        ),
        (
            State { shape: "64", layout: tile, format: fp32, memory: "sharded" },
            "is in tile layout; it must be in row-major",
        ),
        (
            State { shape: "64", format: fp32, memory: "sharded", ..right },
            "is sharded over cores; it must be interleaved over banks",
        ),
        (State { shape: "64", format: fp32, ..right }, "is Float32; it must be Float16_b (bf16)"),
    ];
    let input = State { shape: "2x64x96", ..right };
    let wrong = State { memory: "host", ..right };
    for (parameter, message) in cases {
        refused([input, parameter, wrong], 0.0, &format!("gamma {message}"));
        refused([input, right, parameter], 0.0, &format!("beta {message}"));
    }
    for shape in ["64", "3x96", "96x1"] {
        let parameter = State { shape, ..right };
        let message = |name: &str| {
            format!(
                "{name} has shape {shape} and input 2x64x96; {name} must have one dimension of \
                 96, input's last"
            )
        };
        refused([input, parameter, wrong], 0.0, &message("gamma"));
        refused([input, right, parameter], 0.0, &message("beta"));
    }
}

#[test]
fn a_wrong_epsilon_is_refused() {
    let states = [right("32x32"), right("32"), right("32")];
    for epsilon in [0.0, -1.0, f32::NAN] {
        let message = format!("epsilon is {epsilon}; it must be greater than 0, such as 1e-5");
        refused(states, epsilon, &message);
    }
}

#[test]
fn wrong_requests_are_refused_before_anything_is_allocated() {
    let refusal = |request: &Request| {
        let mut device = Device::n150();
        let free = device.dram_next();
        let prepared = find(NAME).expect("the operation").prepare(&mut device, request);
        assert_eq!(device.dram_next(), free);
        prepared.err().expect("a refusal").to_string()
    };
    assert!(refusal(&request("32x40")).contains("width 40 is not a multiple of 32; 64 would be"));
    assert!(refusal(&request("40x32")).contains("height 40 is not a multiple of 32"));
    assert!(refusal(&request("32")).contains("at least 2 dimensions, such as 32x32"));
    for format in [DataFormat::Float32, DataFormat::Bfp8, DataFormat::Tf32] {
        let mut request = request("32x32");
        request.format = format;
        let message = format!("input is {}; it must be Float16_b (bf16)", format.name());
        assert!(refusal(&request).contains(&message));
    }
    let mut low = request("32x32");
    low.settings.fidelity = Fidelity::LoFi;
    assert!(refusal(&low).contains("ask for fidelity HiFi4, not LoFi"));
}

#[test]
fn shapes_paths_and_cores() {
    for shape in ["32x32", "64x96", "32x256", "2x3x32x160", "3x64x288"] {
        for (path, cores) in [("row", 1), ("block", 7), ("auto", 64)] {
            let mut request = request(shape).choose("path", path);
            request.cores = cores;
            check(NAME, &request);
        }
    }
}

#[test]
fn rows_wider_than_l1_are_read_in_blocks() {
    let is_cut = |shape: &str| {
        let mut device = Device::n150();
        let operation = find(NAME).expect("the operation");
        let prepared = operation.prepare(&mut device, &request(shape)).expect("a request");
        let buffers = prepared.programs[0].circular_buffers();
        buffers.iter().any(|buffer| buffer.specs[0].name == "cb_carry")
    };
    // 214 tiles of x, gamma and beta, and what every row needs besides, fit in 1,393,472 bytes.
    assert_eq!(["32x6848", "32x6880"].map(is_cut), [false, true]);
    check(NAME, &request("1x1x64x7200"));
}

/// Bytes that readers ask of DRAM.
#[derive(Default)]
struct ReadBytes(u64);

impl Observer for ReadBytes {
    fn event(&mut self, event: &Event) {
        if let EventKind::ReadIssued { from: NocAddress::Dram(_), bytes, .. } = event.kind {
            self.0 += u64::from(bytes);
        }
    }
}

#[test]
fn the_row_path_reads_each_stick_once_and_the_block_path_three_times() {
    let (shape, width) = ("2x64x352", 352);
    let row_bytes = 2 * width;
    // Two cores of two tile-rows each: 128 sticks in all, and gamma and beta.
    for (path, sticks_read) in [("row", 128 + 2 * 2), ("block", 3 * 128 + 4 * 2)] {
        let mut request = request(shape).choose("path", path);
        request.cores = 2;
        let mut device = Device::n150();
        let operation = find(NAME).expect("the operation");
        let prepared = operation.prepare(&mut device, &request).expect("a right request");
        let mut read = ReadBytes::default();
        prepared.run(&mut device, RunOptions::default(), &mut [&mut read]).expect("stacks");
        assert_eq!(read.0, sticks_read * row_bytes, "{path}");
    }
}

#[test]
fn every_family() {
    for family in Family::ALL {
        for path in ["row", "block"] {
            let mut request = request("2x32x160").choose("path", path);
            request.family = family;
            check(NAME, &request);
        }
    }
}

#[test]
fn paths_cores_seeds_and_threads_do_not_change_a_bit() {
    for family in [Family::Uniform, Family::ShiftedMean, Family::WideRange, Family::Special] {
        let mut first = request("5x64x320").choose("path", "row");
        first.family = family;
        first.cores = 1;
        let expected = bits(&first, RunOptions::default());
        for (path, cores, seed, threads) in
            [("row", 7, 0, 1), ("row", 64, 3, 2), ("block", 7, 5, 1), ("block", 64, 0, 2)]
        {
            let mut request = first.clone().choose("path", path);
            request.cores = cores;
            let noc = if cores == 7 { NocMode::Late } else { NocMode::Timed };
            let options = RunOptions { seed, threads, noc, ..RunOptions::default() };
            assert_eq!(bits(&request, options), expected, "{family} {path} {cores} {seed}");
        }
    }
}

#[test]
fn tensors_may_lie_in_l1() {
    let mut device = Device::n150();
    let shape: Shape = "2x32x96".parse().expect("a shape");
    let row: Shape = "96".parse().expect("a shape");
    let mut place = |shape: Shape, values: &[f32]| -> DeviceTensor {
        let tensor = Tensor::from_f32(shape, values).expect("a tensor");
        let tensor = tensor.convert(Layout::RowMajor, DataFormat::Bfloat16).expect("a tensor");
        tensor.to_device(&mut device, Storage::L1).expect("room")
    };
    let x = place(shape, &Family::Alternating.values(&shape, 0, 0));
    let (gamma, beta) = (place(row, &[2.0; 96]), place(row, &[0.5; 96]));
    for (path, storage) in [(Path::Row, None), (Path::Block, Some(Storage::Dram))] {
        let options = Options { path: Some(path), storage, ..Options::default() };
        let call = layernorm_fused_rm(&mut device, x, gamma, beta, EPSILON, &options)
            .expect("a right call");
        assert_eq!(call.output.buffer.storage, storage.unwrap_or(Storage::L1));
        let outcome =
            call.program.run(&mut device, RunOptions::default(), &mut []).expect("stacks");
        assert_eq!(outcome.ending, Ending::Completed);
        let y = call.output.to_host(&mut device).expect("y").to_f32();
        // mean 0, 1/std just below 1: 2 x + 0.5 to the nearest bf16.
        let wanted = |(at, got): (usize, &f32)| *got == [2.5, -1.5][at % 2];
        assert!(y.iter().enumerate().all(wanted), "{y:?}");
    }
}

#[test]
fn bounds_are_tight_enough_to_matter() {
    for path in ["row", "block"] {
        let request = request("64x512").choose("path", path);
        for (output, judged) in judged(NAME, &request, RunOptions::default()) {
            assert!(judged.median_slack <= 20.0, "{output}: {judged:?}");
        }
    }
}

/// Runs the operation with faults: how it ended, and whether y is inside the operation's bounds.
fn run_faulty(family: Family, path: Path, faults: Faults) -> (Ending, bool) {
    let (shape, row): (Shape, Shape) =
        ("3x32x288".parse().expect("a shape"), "288".parse().expect("a shape"));
    let unit = |stream| Family::Uniform.values(&row, 3, stream);
    let gamma: Vec<f32> = unit(1).iter().map(|unit| 1.0 + 0.5 * unit).collect();
    with_device(|device| {
        let mut place = |shape: Shape, values: &[f32]| {
            let tensor = Tensor::from_f32(shape, values).expect("a tensor");
            let tensor = tensor.convert(Layout::RowMajor, DataFormat::Bfloat16).expect("a tensor");
            (tensor.to_device(device, Storage::Dram).expect("room"), tensor.to_f32())
        };
        let (x, gamma, beta) =
            (place(shape, &family.values(&shape, 3, 0)), place(row, &gamma), place(row, &unit(2)));
        let options = Options { path: Some(path), cores: 2, ..Options::default() };
        let call = faulty(device, x.0, gamma.0, beta.0, EPSILON, &options, faults);
        let call = call.expect("a program that fits");
        let outcome = call.program.run(device, RunOptions::default(), &mut []).expect("stacks");
        let y = call.output.to_host(device).expect("y").to_f32();
        let inputs = ForwardInputs {
            format: DataFormat::Bfloat16,
            is_tilized: true,
            family,
            features: 288,
            epsilon: EPSILON,
            x: x.1,
            gamma: gamma.1,
            beta: beta.1,
        };
        (outcome.ending, judge(&y, &forward(&inputs).y).in_bound)
    })
}

fn revealing(faults: Faults, path: Path) -> Vec<Family> {
    let reveals = |family: &Family| {
        let (ending, in_bound) = run_faulty(*family, path, faults);
        assert_eq!(ending, Ending::Completed, "{family}");
        !in_bound
    };
    Family::ALL.into_iter().filter(reveals).collect()
}

/// gamma counts nothing where x̂ is zero, and where every row holds a NaN no bound can tell.
#[test]
fn an_overwritten_gamma_is_hidden_where_rows_are_constant() {
    for path in [Path::Row, Path::Block] {
        assert_eq!(revealing(Faults::default(), path), []);
        let faults = Faults { overwritten_gamma: true, ..Faults::default() };
        let reveal = [
            Family::Uniform,
            Family::Normal,
            Family::ShiftedMean,
            Family::Ramp,
            Family::Alternating,
            Family::Impulse,
            Family::WideRange,
        ];
        assert_eq!(revealing(faults, path), reveal, "{path:?}");
    }
}

/// Compute gives back one page for each tile, the reader takes one for each stick: whatever the
/// data, the reader waits for pages that nobody will free.
#[test]
fn a_stick_sized_page_before_tilize_is_stuck() {
    let faults = Faults { stick_sized_page: true, ..Faults::default() };
    for path in [Path::Row, Path::Block] {
        assert_eq!(run_faulty(Family::Uniform, path, faults).0, Ending::Stuck, "{path:?}");
    }
}
