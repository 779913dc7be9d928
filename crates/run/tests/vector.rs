//! Kernels that call the vector unit, judged by manifests: a right call passes, another does not.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_run::Isolation;
use tilewright_run::prelude::*;
use tilewright_testing::skip;

/// What a manifest says, and what its kernel calls.
struct Case {
    name: &'static str,
    /// Lines of the manifest, and what stands in their place.
    changes: &'static [(&'static str, &'static str)],
    /// The kernel's init and call.
    kernel: (&'static str, &'static str),
    /// The reference's name and inputs.
    reference: (&'static str, &'static str),
    /// The reference's choices, and those of another function or scalar.
    choices: (&'static str, &'static str),
}

const ONE: &str = "{ first = \"first\" }";
const TWO: &str = "{ first = \"first\", second = \"second\" }";
const THREE: &str = "{ first = \"first\", second = \"second\", third = \"third\" }";

const FP32: &[(&str, &str)] = &[("\"bf16\"", "\"fp32\""), ("dst_bits = 16", "dst_bits = 32")];

const INT32: &[(&str, &str)] = &[
    ("\"bf16\"", "\"int32\""),
    ("dst_bits = 16", "dst_bits = 32"),
    ("\"normal\"", "\"uniform\"\nbelow = 10_000_000"),
    (
        "\nformat = \"int32\"\ninput = \"uniform\"\n\n",
        "\nformat = \"int32\"\ninput = \"uniform\"\nbelow = 9\n\n",
    ),
    ("\"ramp\"", "\"ramp\"\nbelow = 100"),
];

const CASES: &[Case] = &[
    Case {
        name: "unary",
        changes: &[],
        kernel: ("clamp_tile_init()", "clamp_tile(0, 0xbf000000, 0x3f400000)"),
        reference: ("sfpu-unary", ONE),
        choices: ("call = \"clamp_tile(-0.5, 0.75)\"", "call = \"clamp_tile(-0.5, 0.625)\""),
    },
    Case {
        name: "chain",
        changes: FP32,
        kernel: (
            "exp_tile_init()",
            "exp_tile(0); binop_with_scalar_tile_init(); add_unary_tile(0, 0x3f800000)",
        ),
        reference: ("sfpu-unary", ONE),
        choices: (
            "call = \"exp_tile; add_unary_tile(1)\"",
            "call = \"exp_tile; add_unary_tile(1.0001)\"",
        ),
    },
    Case {
        name: "binary",
        changes: FP32,
        kernel: ("mul_binary_tile_init()", "mul_binary_tile(0, 1, 0)"),
        reference: ("sfpu-binary", TWO),
        choices: ("call = \"mul_binary_tile\"", "call = \"add_binary_tile\""),
    },
    Case {
        name: "comparison",
        changes: &[],
        kernel: ("unary_gt_tile_init()", "unary_gt_tile(0, 0x3e800000)"),
        reference: ("sfpu-unary", ONE),
        choices: ("call = \"unary_gt_tile(0.25)\"", "call = \"unary_gt_tile(0.5)\""),
    },
    Case {
        name: "integers",
        changes: INT32,
        kernel: ("add_int_tile_init()", "add_int_tile<DataFormat::Int32>(0, 1, 0)"),
        reference: ("sfpu-binary", TWO),
        choices: ("call = \"add_int_tile<Int32>\"", "call = \"sub_int_tile<Int32>\""),
    },
    Case {
        name: "where",
        changes: &[("input = \"normal\"", "input = \"alternating\"")],
        kernel: (
            "gtz_tile_init(); gtz_tile(0); where_tile_init()",
            "where_tile<DataFormat::Float16_b>(0, 1, 2, 0)",
        ),
        reference: ("sfpu-ternary", THREE),
        choices: (
            "call = \"where_tile<Float16_b>\", on_first = \"gtz_tile\"",
            "call = \"where_tile<Float16_b>\", on_first = \"ltz_tile\"",
        ),
    },
    Case {
        name: "small-floats",
        changes: &[
            ("cb_first]\nindex = 0\nformat = \"bf16\"", "cb_first]\nindex = 0\nformat = \"bfp4\""),
            (
                "first]\nshape = [96, 64]\nformat = \"bf16\"",
                "first]\nshape = [96, 64]\nformat = \"bfp4\"",
            ),
        ],
        kernel: ("relu_tile_init()", "relu_tile(0)"),
        reference: ("sfpu-unary", ONE),
        choices: ("call = \"relu_tile\"", "call = \"abs_tile\""),
    },
    Case {
        name: "blocks",
        changes: &[
            ("cb_out]\nindex = 16\nformat = \"bf16\"", "cb_out]\nindex = 16\nformat = \"bfp4\""),
            ("y]\nshape = [96, 64]\nformat = \"bf16\"", "y]\nshape = [96, 64]\nformat = \"bfp4\""),
        ],
        kernel: ("relu_tile_init()", "relu_tile(0)"),
        reference: ("sfpu-unary", ONE),
        choices: ("call = \"relu_tile\"", "call = \"abs_tile\""),
    },
    Case {
        name: "bytes",
        changes: &[
            ("cb_first]\nindex = 0\nformat = \"bf16\"", "cb_first]\nindex = 0\nformat = \"uint8\""),
            (
                "first]\nshape = [96, 64]\nformat = \"bf16\"\ninput = \"normal\"",
                "first]\nshape = [96, 64]\nformat = \"uint8\"\ninput = \"uniform\"\nbelow = 256",
            ),
            ("cb_out]\nindex = 16\nformat = \"bf16\"", "cb_out]\nindex = 16\nformat = \"uint8\""),
            ("y]\nshape = [96, 64]\nformat = \"bf16\"", "y]\nshape = [96, 64]\nformat = \"uint8\""),
            ("dst_bits = 16", "dst_bits = 32"),
        ],
        kernel: ("abs_tile_init()", "abs_tile_int32(0)"),
        reference: ("sfpu-unary", ONE),
        choices: ("call = \"abs_tile_int32\"", "call = \"bitwise_not_tile\""),
    },
    Case {
        name: "approximate",
        changes: &[("dst_bits = 16", "dst_bits = 32\nmath_approx_mode = true")],
        kernel: (
            "sqrt_tile_init()",
            "abs_tile_init(), abs_tile(0); sqrt_tile_init(); sqrt_tile(0)",
        ),
        reference: ("sfpu-unary", ONE),
        choices: ("call = \"abs_tile; sqrt_tile\"", "call = \"abs_tile\""),
    },
    Case {
        name: "cumsum",
        changes: &[("[96, 64]", "[96, 32]"), ("dst_bits = 16", "dst_bits = 32")],
        kernel: ("cumsum_tile_init()", "cumsum_tile(0, tile == 0)"),
        reference: ("sfpu-cumsum", ONE),
        choices: ("", ""),
    },
    Case {
        name: "reduction",
        changes: &[
            ("[96, 64]", "[32, 32]"),
            ("[tensors.y]\nshape = [32, 32]", "[tensors.y]\nshape = [1, 32]"),
        ],
        kernel: (
            "(sfpu_reduce_init<PoolType::MAX, DataFormat::Float16_b>())",
            "(sfpu_reduce<PoolType::MAX, DataFormat::Float16_b>(0))",
        ),
        reference: ("sfpu-reduce", ONE),
        choices: ("pool = \"max\"", "pool = \"min\""),
    },
];

/// Whether there is a compiler; without, the test passes and says so.
fn has_compiler() -> bool {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tilewright"));
    let options = CompileOptions { cache, ..CompileOptions::default() };
    Workshop::open(&options).map_err(|error| skip!(error)).is_ok()
}

/// The manifest of a case in a folder of its own, beside its kernels.
fn manifest(case: &Case, choices: &str) -> PathBuf {
    let from = Path::new("tests/manifests/vector");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vector").join(case.name);
    fs::create_dir_all(&folder).expect("a folder");
    for kernel in ["reader.cpp", "compute.cpp", "writer.cpp"] {
        fs::copy(from.join(kernel), folder.join(kernel)).expect("a kernel");
    }
    let text = fs::read_to_string(from.join("program.toml")).expect("a manifest");
    let (before, _) = text.split_once("[reference]").expect("a reference");
    let mut text = before.to_owned();
    let usual = ("clamp_tile_init()", "clamp_tile(0, 0xbf000000, 0x3f400000)");
    text = text.replace(usual.0, case.kernel.0).replace(usual.1, case.kernel.1);
    let operands = case.reference.1.matches(" = ").count();
    text = text.replace("OPERANDS = \"1\"", &format!("OPERANDS = \"{operands}\""));
    for (from, to) in case.changes {
        assert!(text.contains(from), "{}: no {from}", case.name);
        text = text.replace(from, to);
    }
    let (operation, inputs) = case.reference;
    text += &format!(
        "[reference]\noperation = \"{operation}\"\ninputs = {inputs}\noutputs = {{ y = \"y\" }}\n\
         choices = {{ {choices} }}\n"
    );
    let path = folder.join("program.toml");
    fs::write(&path, text).expect("a manifest");
    path
}

fn outcome(case: &Case, choices: &str) -> Outcome {
    let path = manifest(case, choices).display().to_string();
    let request = Request { isolation: Isolation::InProcess, ..Request::new(path) };
    request.run().unwrap_or_else(|failure| panic!("{}: {failure}", case.name))
}

#[test]
fn right_calls_pass_and_others_do_not() {
    if !has_compiler() {
        return;
    }
    for case in CASES {
        let (right, wrong) = case.choices;
        let passed = outcome(case, right);
        assert_eq!(passed.verdict(), RunVerdict::Pass, "{}: {:?}", case.name, passed.run.findings);
        if right != wrong {
            let failed = outcome(case, wrong);
            assert_eq!(failed.verdict(), RunVerdict::Fail, "{}", case.name);
        }
    }
}
