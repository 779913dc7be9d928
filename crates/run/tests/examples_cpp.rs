//! Our operations as C++ kernels under `examples`: the bits of the Rust ones, and their events.
//!
//! Kernels that write L1 through pointers differ in what the Rust API tells and charges for such a
//! write, and in what time does with that: there, all other events are counted.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tilewright_run::Catalogue;
use tilewright_testing::skip;

use tilewright_manifest::{Manifest, Overrides, Ready};
use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_metal::{Device, Ending, Event, Family, Observer, Prepared, RunOptions, Shape};
use tilewright_ops::layernorm::backward;
use tilewright_ops::layernorm::reference::BackwardInputs;
use tilewright_ops::{Request, find, judge};
use tilewright_tile::{DataFormat, bfloat16};

/// Counts events by processor and kind.
#[derive(Default, Debug, PartialEq)]
struct Counts(BTreeMap<String, usize>);

impl Observer for Counts {
    fn event(&mut self, event: &Event) {
        let kind = format!("{:?}", event.kind);
        let kind = kind.split([' ', '(']).next().unwrap_or("");
        if !["L1Written", "L1Read", "Blocked"].contains(&kind) {
            *self.0.entry(format!("{} {kind}", event.processor.processor)).or_default() += 1;
        }
    }
}

/// What a run leaves: the outputs' bytes and how many events of each kind. Plain code of C++
/// kernels takes time, so that their fingerprints differ.
struct Left {
    outputs: Vec<Vec<u8>>,
    counts: Counts,
}

fn run(prepared: &Prepared, device: &mut Device) -> Left {
    let mut counts = Counts::default();
    let options = RunOptions::default();
    let outcomes = prepared.run(device, options, &mut [&mut counts]).expect("it can run");
    assert!(outcomes.iter().all(|outcome| outcome.ending == Ending::Completed), "{outcomes:?}");
    for (name, judgement) in judge::outputs(prepared, device).expect("outputs can be read") {
        assert!(judgement.in_bound, "{name}: {judgement:?}");
    }
    let mut bytes = |output: &tilewright_metal::Expected| {
        output.tensor.to_host(device).expect("an output").bytes().to_vec()
    };
    Left { outputs: prepared.outputs.iter().map(&mut bytes).collect(), counts }
}

/// A workshop, or a plain message where the host has no compiler: the test then passes.
fn workshop() -> Option<Workshop> {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tilewright"));
    Workshop::open(&CompileOptions { cache, ..CompileOptions::default() })
        .map_err(|error| skip!(error))
        .ok()
}

/// An example with values set, its kernels compiled.
fn example(workshop: &Workshop, device: &mut Device, case: &Case<'_>) -> Ready {
    let path = Path::new("../../examples").join(case.example).join("program.toml");
    let text = fs::read_to_string(&path).expect("an example");
    let text = if case.format == DataFormat::Float32 { in_fp32(&text) } else { text };
    let manifest = Manifest::parse(&path, &text).unwrap_or_else(|error| panic!("{error}"));
    let values = case.values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let overrides = Overrides { values, cores: Some(case.cores), ..Overrides::default() };
    let ready = manifest.prepare(device, &overrides, &Catalogue);
    let mut ready = ready.unwrap_or_else(|error| panic!("{case:?}: {error}"));
    for program in &mut ready.prepared.programs {
        let arch = device.architecture();
        program.compile(arch, workshop, &|_, _| {}).unwrap_or_else(|error| panic!("{error}"));
    }
    ready
}

/// An example's manifest with tensors and buffers of fp32. Ones, zeros and masks of LayerNorm stay
/// bf16; its other buffers go straight to Dst, but for the parts of sums, and so do softmax's sums.
fn in_fp32(text: &str) -> String {
    let is_layernorm = text.contains("cb_split");
    let mut lines = Vec::new();
    let (mut section, mut straight) = (String::new(), Vec::new());
    for line in text.lines() {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_owned();
            if section.ends_with("buffers.cb_x") {
                straight.clear();
            }
        }
        let buffer = section.split_once("buffers.").map(|(_, name)| name);
        let stays = ["cb_ones", "cb_zeros", "cb_mask"].map(Some).contains(&buffer);
        match line {
            r#"format = "bf16""# if !stays => lines.push(r#"format = "fp32""#.to_owned()),
            line if line.starts_with("unpack_to_dst") => {
                lines.push(format!("unpack_to_dst = {straight:?}"));
            }
            r#"runs_on = "compute""# if is_layernorm => {
                lines.extend([line, r#"defines = { DATA_FP32 = "1" }"#].map(str::to_owned));
            }
            r#"runs_on = "compute""# => {
                lines.extend([line, "dst_bits = 32"].map(str::to_owned));
                if text.contains("cb_block_sum") {
                    lines.push(r#"unpack_to_dst = ["cb_sum", "cb_block_sum"]"#.to_owned());
                }
            }
            // Half of Dst holds 4 tiles of 32 bits.
            line => lines.push(line.replace(", 8)\"", ", 4)\"")),
        }
        let is_straight = line.starts_with("format") && !stays && buffer != Some("cb_split");
        straight.extend(buffer.filter(|_| is_straight).map(str::to_owned));
    }
    lines.join("\n")
}

/// An example and our operation with the same work.
#[derive(Clone, Copy, Debug)]
struct Case<'a> {
    example: &'a str,
    operation: &'a str,
    values: &'a [(&'a str, i64)],
    shape: &'a str,
    choices: &'a [(&'a str, &'a str)],
    cores: u32,
    /// The format of tensors.
    format: DataFormat,
}

impl Case<'_> {
    fn in_fp32(self) -> Self {
        Case { format: DataFormat::Float32, ..self }
    }
}

fn check(case: &Case<'_>) {
    check_against(case, |device, request| {
        let operation = find(case.operation).expect("an operation");
        operation.prepare(device, request).expect("a right request")
    });
}

/// Runs an example, and what `prepare_ours` makes of a request for the same.
fn check_against(case: &Case<'_>, prepare_ours: impl Fn(&mut Device, &Request) -> Prepared) {
    let Some(workshop) = workshop() else { return };
    let mut device = Device::n150();
    let ready = example(&workshop, &mut device, case);
    let cpp = run(&ready.prepared, &mut device);

    let operation = find(case.operation).expect("an operation");
    let shape = case.shape.parse().expect("a shape");
    let mut request = Request::new(shape, case.format);
    request.cores = case.cores;
    request.settings = operation.settings(request.format);
    for (name, value) in case.choices {
        request = request.choose(name, value);
    }
    let mut device = Device::n150();
    let ours = prepare_ours(&mut device, &request);
    let rust = run(&ours, &mut device);
    assert_eq!(cpp.outputs.len(), rust.outputs.len(), "{case:?}");
    assert!(cpp.outputs == rust.outputs, "{case:?}: bits differ");
    assert_eq!(cpp.counts, rust.counts, "{case:?}: events differ");
}

#[test]
fn eltwise_in_cpp_is_eltwise_in_rust() {
    let case = |values, shape, cores| Case {
        example: "eltwise",
        operation: "eltwise",
        values,
        shape,
        choices: &[],
        cores,
        format: DataFormat::Bfloat16,
    };
    check(&case(&[("rows", 32), ("columns", 32)], "32x32", 64));
    check(&case(&[("rows", 96), ("columns", 160)], "96x160", 64));
    check(&case(&[], "1024x1024", 64));
    // 21 tiles, which do not divide into equal blocks for four cores.
    let uneven = case(&[("rows", 96), ("columns", 224)], "96x224", 4);
    check(&uneven);
    check(&uneven.in_fp32());
}

#[test]
fn matmul_in_cpp_is_matmul_in_rust() {
    let case = |values, shape, n, cores| Case {
        example: "matmul",
        operation: "matmul",
        values,
        shape,
        choices: n,
        cores,
        format: DataFormat::Bfloat16,
    };
    check(&case(&[], "1x512x512", &[], 64));
    // Tails in all three dimensions: 2 by 3 by 4 tiles.
    let tails = [("rows", 40), ("depth", 70), ("columns", 100), ("block_rows", 1)];
    let tails = [&tails[..], &[("block_columns", 1)]].concat();
    let tails = case(&tails, "1x40x70", &[("n", "100")], 64);
    check(&tails);
    check(&tails.in_fp32());
    // Several blocks a core and several steps a block, in two matrices.
    let long = [("batch", 2), ("rows", 96), ("depth", 320), ("columns", 128), ("block_rows", 3)];
    let long = [&long[..], &[("block_columns", 2)]].concat();
    check(&case(&long, "2x96x320", &[("n", "128")], 2));
}

#[test]
fn softmax_in_cpp_is_softmax_in_rust() {
    let case = |values, shape, path, cores| Case {
        example: "softmax",
        operation: "softmax",
        values,
        shape,
        choices: path,
        cores,
        format: DataFormat::Bfloat16,
    };
    check(&case(&[], "1x256x512", &[], 64));
    // A tail of six columns, and of eight rows.
    let tails = case(&[("rows", 40), ("columns", 70)], "1x40x70", &[], 64);
    check(&tails);
    check(&tails.in_fp32());
    let passes = [("batch", 3), ("rows", 40), ("columns", 500), ("passes", 3)];
    let passes = case(&passes, "3x40x500", &[("path", "blocks")], 4);
    check(&passes);
    check(&passes.in_fp32());
}

#[test]
fn layernorm_forward_in_cpp_is_layernorm_forward_in_rust() {
    let case = |values, shape, path, cores| Case {
        example: "layernorm/forward",
        operation: "layernorm-fw",
        values,
        shape,
        choices: path,
        cores,
        format: DataFormat::Bfloat16,
    };
    check(&case(&[], "1x256x512", &[], 64));
    // 7 tiles in blocks of 3, the last of them with 13 columns; tails of rows in two matrices.
    let tails = [("batch", 2), ("rows", 40), ("columns", 205)];
    let blocks = [&tails[..], &[("keeps_row", 0)]].concat();
    let row = case(&tails, "2x40x205", &[("path", "row")], 3);
    let block = case(&blocks, "2x40x205", &[("path", "block")], 3);
    for case in [row, block, row.in_fp32(), block.in_fp32()] {
        check(&case);
    }
}

#[test]
fn row_major_layernorm_in_cpp_is_row_major_layernorm_in_rust() {
    let case = |values, shape, path, cores| Case {
        example: "layernorm/row_major",
        operation: "layernorm-rm",
        values,
        shape,
        choices: path,
        cores,
        format: DataFormat::Bfloat16,
    };
    // 11 tiles: a tail of three in blocks of eight, and of two in blocks of three.
    let tails = [("batch", 2), ("rows", 64), ("columns", 352)];
    check(&case(&tails, "2x64x352", &[("path", "row")], 3));
    let blocks = [&tails[..], &[("keeps_row", 0)]].concat();
    check(&case(&blocks, "2x64x352", &[("path", "block")], 3));
}

/// LayerNorm backward on the inputs that its examples declare.
fn backward_programs(device: &mut Device, request: &Request) -> Prepared {
    let shape = request.shape;
    let [row, column] = [&[1, shape.width()][..], &[shape.sticks(), 1]]
        .map(|sizes| Shape::new(sizes).expect("a shape"));
    let values = |shape: &Shape, stream, scale: f32, offset: f32| -> Vec<f32> {
        let units = Family::Uniform.values(shape, 0, stream);
        let held = |unit: f32| match request.format {
            DataFormat::Float32 => offset + scale * unit,
            _ => bfloat16::to_f32(bfloat16::from_f32(offset + scale * unit)),
        };
        units.into_iter().map(held).collect()
    };
    let inputs = BackwardInputs {
        format: request.format,
        family: request.family,
        features: shape.width(),
        height: shape.height(),
        shares: Vec::new(),
        x: values(&shape, 0, 1.0, 0.0),
        gamma: values(&row, 1, 0.5, 0.5),
        mean: values(&column, 2, 0.1, 0.0),
        rstd: values(&column, 3, 0.1, 1.7),
        dy: values(&shape, 4, 1.0, 0.0),
    };
    backward::prepare(device, request, inputs).expect("a right request")
}

/// One of its two programs.
fn backward_program(device: &mut Device, request: &Request, program: usize) -> Prepared {
    let mut both = backward_programs(device, request);
    let names = [&["dx"][..], &["dgamma", "dbeta"]][program];
    both.programs = vec![both.programs.remove(program)];
    both.outputs.retain(|output| names.contains(&output.name));
    both
}

#[test]
fn layernorm_backward_in_cpp_is_layernorm_backward_in_rust() {
    let case = |values, shape, path, cores| Case {
        example: "layernorm/backward_input",
        operation: "layernorm-bw",
        values,
        shape,
        choices: path,
        cores,
        format: DataFormat::Bfloat16,
    };
    let tails = [("batch", 2), ("rows", 40), ("columns", 205)];
    let blocks = [&tails[..], &[("keeps_row", 0)]].concat();
    let of_input = [
        case(&[], "1x256x512", &[], 64),
        case(&tails, "2x40x205", &[("path", "row")], 3),
        case(&blocks, "2x40x205", &[("path", "block")], 3),
    ];
    for case in &of_input {
        check_against(case, |device, request| backward_program(device, request, 0));
    }
    // Two cores for a pair, a core for a pair or two, and three that share eleven rows of one.
    let shared = [("rows", 350), ("columns", 45)];
    let of_parameters = [
        case(&[], "1x256x512", &[], 16),
        case(&tails, "2x40x205", &[], 3),
        case(&shared, "1x350x45", &[], 3),
    ];
    for case in of_parameters {
        let case = Case { example: "layernorm/backward_parameters", ..case };
        check_against(&case, |device, request| backward_program(device, request, 1));
    }
    // Both in one manifest, one after the other.
    let both = [
        case(&[], "1x256x512", &[], 16),
        case(&tails, "2x40x205", &[("path", "row")], 3),
        case(&tails, "2x40x205", &[("path", "row")], 3).in_fp32(),
        case(&blocks, "2x40x205", &[("path", "block")], 3),
        case(&blocks, "2x40x205", &[("path", "block")], 3).in_fp32(),
        case(&shared, "1x350x45", &[("path", "row")], 3).in_fp32(),
    ];
    for case in both {
        let case = Case { example: "layernorm/backward", ..case };
        check_against(&case, backward_programs);
    }
}
