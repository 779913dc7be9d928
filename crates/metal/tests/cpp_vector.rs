//! tt-metal's names for functions of the vector unit mean the functions that golden data has
//! proven: a C++ kernel leaves the bits that calls by name leave.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::common::{Log, ORIGIN, completed, reason};
use crate::cpp_common::workshop;
use tilewright_machine::{CbId, ComputeSettings, DstSync, RunOptions, StopReason};
use tilewright_metal::api::Compute;
use tilewright_metal::cpp::{CppKernel, CppRole, CppSource};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, DataMovementPlace, Device, Program, ProgramBuilder,
};
use tilewright_tile::sfpu::program::FunctionId;
use tilewright_tile::{DataFormat, DstWidth, Fidelity};

const TILES: u32 = 4;
const OUT: u8 = 16;
const HEADERS: &[&str] = &[
    "compute_kernel_api",
    "compute_kernel_hw_startup",
    "tile_move_copy",
    "pack",
    "welford",
    "ema",
    "cumsum",
    "gcd",
    "lcm",
    "isclose",
    "quantization",
    "sfpu_binary_bcast",
    "binary_bitwise_sfpu",
    "binary_max_min",
    "binary_shift",
    "mul_int32_sfpu",
    "reduce_custom",
    "copy_dest_values",
    "eltwise_unary/binop_with_scalar",
    "eltwise_unary/dropout",
    "eltwise_unary/exp",
    "eltwise_unary/fmod",
    "eltwise_unary/polygamma",
    "eltwise_unary/rand",
    "eltwise_unary/remainder",
    "eltwise_unary/recip",
    "eltwise_unary/rsqrt",
    "eltwise_unary/i1",
    "eltwise_unary/logical_not",
    "atan2",
    "eltwise_unary/rounding",
    "eltwise_unary/sfpu_int_sum",
    "eltwise_unary/softcap",
    "eltwise_unary/fill",
    "eltwise_unary/where",
];

/// A call by the name that the machine knows: operand tiles, the result, scalars.
type Call = (&'static str, &'static [u32], u32, Vec<u32>);

/// What a kernel says, and what it means.
type Case = (&'static str, Vec<Call>);

fn call(name: &'static str, tiles: &'static [u32], scalars: &[u32]) -> Call {
    (name, tiles, tiles.first().copied().unwrap_or(0), scalars.to_vec())
}

fn rows(start: u32, first: u32, count: u32) -> Vec<u32> {
    let reciprocal = |row: u32| {
        let index = start + row;
        if row < count { (1.0 / (index + 1) as f32).to_bits() } else { 0 }
    };
    [first, count].into_iter().chain((0..32).map(reciprocal)).collect()
}

fn sorts() -> Vec<Case> {
    let four: &[u32] = &[0, 1, 2, 3];
    let sorted = |stable| call(stable, four, &[1, 5, 0, 0, 0]);
    vec![
        ("topk_tile_init(); topk_local_sort(0, 1, 5);", vec![sorted("topk_local_sort<false>")]),
        (
            "topk_tile_init(); topk_local_sort<true>(0, 1, 5);",
            vec![sorted("topk_local_sort<true>")],
        ),
        (
            "topk_tile_init(); topk_local_sort(0, 0, 4); topk_merge(0, 0, 32);
             topk_rebuild(0, false, 0, 32, 5, 1);",
            vec![
                call("topk_local_sort<false>", four, &[0, 4, 0, 0, 0]),
                call("topk_merge<false,false>", four, &[0, 32]),
                call("topk_rebuild<false>", four, &[0, 0, 32, 5, 1]),
            ],
        ),
        (
            "topk_tile_init(); topk_merge<true, true>(0, 1, 16); \
             topk_rebuild<true>(0, 1, 1, 16, 4, 0);",
            vec![
                call("topk_merge<true,true>", four, &[1, 16]),
                call("topk_rebuild<true>", four, &[1, 1, 16, 4, 0]),
            ],
        ),
        (
            "max_reduce_with_indices_init(); max_reduce_with_indices(0, 2);",
            vec![call("max_reduce_with_indices", &[0, 2, 1, 3], &[])],
        ),
    ]
}

fn scans() -> Vec<Case> {
    vec![
        (
            "welford_init(); welford_update(0, 0, std::array<uint32_t, 0>{});
             welford_update_rows(1, 32, 3, 7, std::array<uint32_t, 0>{});
             welford_finalize_to_row(2, 38, std::array<uint32_t, 0>{});",
            vec![
                call("welford_clear", &[], &[]),
                call("welford_update", &[0], &rows(0, 0, 32)),
                call("welford_update", &[1], &rows(32, 3, 7)),
                call("welford_finalize_to_row", &[2, 3], &[(1.0_f32 / 39.0).to_bits()]),
            ],
        ),
        (
            "welford_init(); std::array<uint32_t, 2> table{0x3f800000, 0x3f000000};
             welford_update_rows(0, 0, 5, 2, table); welford_save_state(2, 1);
             welford_restore_state(2, 1); welford_finalize_to_face(1, 3, 1, table);",
            vec![
                call("welford_clear", &[], &[]),
                call("welford_update", &[0], &rows(0, 5, 2)),
                call("welford_save_state", &[2, 3], &[1]),
                call("welford_restore_state", &[2, 3], &[1]),
                call("welford_finalize_to_face", &[1, 2], &[0x3f00_0000, 3]),
            ],
        ),
        (
            "ema_init(0x3f2cc20e, 0x3ea67be4); ema_clear_previous_output(); ema_tile(0); \
             ema_tile(2);",
            vec![
                call("ema_factors", &[], &[0x3f2c_c20e, 0x3ea6_7be4]),
                call("ema_clear_previous_output", &[], &[]),
                call("ema_tile", &[0, 1], &[]),
                call("ema_tile", &[2, 3], &[]),
            ],
        ),
        (
            "cumsum_tile_init(); cumsum_tile(0); cumsum_tile(1, false);",
            vec![call("cumsum_tile", &[0], &[]), call("cumsum_tile<false>", &[1], &[])],
        ),
        (
            "dropout_kernel_init(7); dropout_tile(0, 0x3fffffff, 0x40000000);
             dropout_tile(1, 0x3fffffff, 0x40000000);",
            vec![
                call("prng_seed", &[], &[7]),
                call("dropout_tile", &[0], &[0x3fff_ffff, 0x4000_0000]),
                call("dropout_tile", &[1], &[0x3fff_ffff, 0x4000_0000]),
            ],
        ),
    ]
}

fn uniform() -> Vec<Case> {
    vec![
        (
            "rand_tile_init(7); rand_tile(0, 0, 0x3f800000); rand_tile(2, 0xc0000000, 0x40a00000);",
            vec![
                call("prng_seed", &[], &[7]),
                call("rand_tile", &[0], &[0, 0x3f80_0000]),
                call("rand_tile", &[2], &[0xc000_0000, 0x40a0_0000]),
            ],
        ),
        (
            "rand_tile_init(7, 2); rand_tile(1, 0, 0x3f800000);",
            vec![
                call("prng_seed", &[], &[0x3c6e_f379]),
                call("rand_tile", &[1], &[0, 0x3f80_0000]),
            ],
        ),
    ]
}

/// 30 times the hyperbolic tangent of a thirtieth.
fn capped() -> Vec<Case> {
    vec![(
        "softcap_tile_init(); softcap_tile(0, 0x41f00000, 0x3d088889);",
        vec![call("softcap_tile", &[0], &[0x41f0_0000, 0x3d08_8889])],
    )]
}

fn reductions() -> Vec<Case> {
    vec![
        (
            "sfpu_reduce_init<PoolType::MAX, DataFormat::Int32>();
             sfpu_reduce<PoolType::MAX, DataFormat::Int32>(0);
             sfpu_reduce<PoolType::MAX, DataFormat::Int32, ReduceDim::REDUCE_ROW>(1);",
            vec![
                call("sfpu_reduce<MAX,Int32,COL>", &[0], &[]),
                call("sfpu_reduce<MAX,Int32,ROW>", &[1], &[]),
            ],
        ),
        (
            "sfpu_reduce_init<PoolType::MIN, DataFormat::Float16_b>();
             sfpu_reduce<PoolType::MIN, DataFormat::Float16_b>(0);
             sfpu_reduce_init<PoolType::AVG, DataFormat::UInt32>();
             sfpu_reduce<PoolType::AVG, DataFormat::UInt32>(1);",
            vec![
                call("sfpu_reduce<MIN,Float16_b,COL>", &[0], &[]),
                call("sfpu_reduce<AVG,UInt32,COL>", &[1], &[]),
            ],
        ),
        (
            "sfpu_sum_int_init(); sfpu_sum_int_col(0); sfpu_sum_int_row(1);
             sfpu_add_top_row_init(); sfpu_add_top_row<DataFormat::Int32>(0, 1, 2);",
            vec![
                call("sfpu_sum_int_col", &[0], &[]),
                call("sfpu_sum_int_row", &[1], &[]),
                ("sfpu_add_top_row<Int32>", &[0, 1], 2, vec![]),
            ],
        ),
    ]
}

fn arithmetic() -> Vec<Case> {
    vec![
        (
            "gcd_tile_init(); gcd_tile(0, 1, 0); lcm_tile_init(); lcm_tile(1, 2, 3);",
            vec![call("gcd_tile", &[0, 1], &[]), ("lcm_tile", &[1, 2], 3, vec![])],
        ),
        (
            "polygamma_tile_init(); polygamma_tile(0, 0x3f800000, 0x3f800000);
             remainder_tile_init(0x40400000, 0x3eaaaaab); remainder_tile(1);
             fmod_tile_init(0x40400000, 0x3eaaaaab); fmod_tile(2);
             remainder_tile_uint32_init(); remainder_tile_uint32(3, 1000);",
            vec![
                call("polygamma_tile", &[0], &[0x3f80_0000, 0x3f80_0000]),
                call("remainder_tile", &[1], &[0x4040_0000, 0x3eaa_aaab]),
                call("fmod_tile", &[2], &[0x4040_0000, 0x3eaa_aaab]),
                call("remainder_tile_uint32", &[3], &[1000]),
            ],
        ),
        (
            "quant_tile_init(0x41200000); quant_tile(0, 1, 0);
             requant_tile_init(0x41200000); requant_tile(1, 2, 1);
             dequant_tile_init(0xc0400000); dequant_tile(2, 3, 2);",
            vec![
                call("quant_tile", &[0, 1], &[0x4120_0000]),
                call("requant_tile", &[1, 2], &[0x4120_0000]),
                call("dequant_tile", &[2, 3], &[0xc040_0000]),
            ],
        ),
        (
            "isclose_binary_tile_init(); isclose_binary_tile(0, 1, 0, 0x3f000000, 0x3f000000);
             isclose_binary_tile<true>(1, 2, 1, 0x3f000000, 0);
             sfpu_sub_bcast_col_init(); sfpu_sub_bcast_col(2, 3);
             sfpu_bcast<BroadcastType::ROW, EltwiseBinaryType::ELWMUL>(3, 2);",
            vec![
                call("isclose_binary_tile", &[0, 1], &[0x3f00_0000, 0x3f00_0000]),
                call("isclose_binary_tile<true>", &[1, 2], &[0x3f00_0000, 0]),
                call("sfpu_sub_bcast_col", &[2, 3], &[]),
                call("sfpu_mul_bcast_row", &[3, 2], &[]),
            ],
        ),
        (
            "binary_bitwise_tile_init(); bitwise_xor_binary_tile<DataFormat::Int32>(0, 1, 0);
             binary_shift_tile_init(); binary_right_shift_tile<DataFormat::Int32>(1, 2, 1);
             rounding_op_tile_init(); floor_tile(2);
             signbit_tile_int32_init(); signbit_tile_int32(3);",
            vec![
                call("bitwise_xor_binary_tile<Int32>", &[0, 1], &[]),
                call("binary_right_shift_tile<Int32>", &[1, 2], &[]),
                call("floor_tile", &[2], &[]),
                call("signbit_tile_int32", &[3], &[]),
            ],
        ),
    ]
}

fn builder(width: DstWidth, cases: usize) -> (ProgramBuilder, ComputeConfig) {
    let format = match width {
        DstWidth::Bits16 => DataFormat::Bfloat16,
        DstWidth::Bits32 => DataFormat::Float32,
    };
    let mut builder = Program::builder("vector functions");
    builder.circular_buffer(ORIGIN, CbSpec::tiles(0, "cb_in", DataFormat::Bfloat16, TILES));
    let pages = TILES * cases as u32;
    builder.circular_buffer(ORIGIN, CbSpec::tiles(OUT, "cb_out", format, pages));
    let none = CompileTimeArgs::default();
    builder.data_movement("reader", ORIGIN, DataMovementPlace::Reader, none, |k| {
        k.cb_reserve_back(0, TILES);
        k.cb_push_back(0, TILES);
    });
    let settings = ComputeSettings { width, sync: DstSync::Half, fidelity: Fidelity::HiFi4 };
    (builder, ComputeConfig { settings, ..ComputeConfig::default() })
}

/// Runs a program on tiles of values that differ everywhere; what it leaves in `cb_out`.
fn output(program: &Program, device: &mut Device) -> Vec<u8> {
    let buffers = program.placed_buffers(ORIGIN);
    let base = |id| buffers.iter().find(|buffer| buffer.id == CbId(id)).expect("it is placed");
    let (input, out) = (base(0), base(OUT));
    let value = |at: u32| {
        let mixed = at.wrapping_mul(2_654_435_761) >> 16;
        (0x3f00 | mixed as u16 & 0x83ff).to_le_bytes()
    };
    let bytes: Vec<u8> = (0..1024 * TILES).flat_map(value).collect();
    let core = device.machine_mut().core_mut(ORIGIN).expect("it has a core");
    core.l1_mut().get_mut(input.base, bytes.len()).expect("in L1").copy_from_slice(&bytes);
    let outcome = program.run(device, RunOptions::default(), &mut [&mut Log::default()]);
    completed(&outcome.expect("it can run"));
    let core = device.machine().core(ORIGIN).expect("it has a core");
    core.l1().get(out.base, out.bytes() as usize).expect("in L1").to_vec()
}

fn in_rust(mut device: Device, cases: &[Case], width: DstWidth) -> Vec<u8> {
    let (mut builder, config) = builder(width, cases.len());
    let calls: Vec<Vec<Call>> = cases.iter().map(|(_, calls)| calls.clone()).collect();
    builder.compute("compute", ORIGIN, config, CompileTimeArgs::default(), move |k| {
        k.compute_kernel_hw_startup(0, 0, OUT);
        k.cb_wait_front(0, TILES);
        calls.iter().for_each(|calls| section(k, calls));
    });
    let built = builder.build(device.architecture(), device.l1_lowest()).expect("it is right");
    output(&built, &mut device)
}

fn section(k: &Compute<'_>, calls: &[Call]) {
    k.tile_regs_acquire();
    k.copy_tile_init(0);
    (0..TILES).for_each(|tile| k.copy_tile(0, tile, tile));
    for (name, tiles, out, scalars) in calls {
        let function = FunctionId::from_name(name).unwrap_or_else(|| panic!("no {name}"));
        k.function_tile_init(function);
        k.function_tile(function, tiles, *out, scalars);
    }
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.cb_reserve_back(OUT, TILES);
    (0..TILES).for_each(|tile| k.pack_tile(tile, OUT));
    k.cb_push_back(OUT, TILES);
    k.tile_regs_release();
}

fn in_cpp(device: &Device, name: &str, cases: &[Case], width: DstWidth) -> Option<Program> {
    in_cpp_as(device, name, cases, (width, false))
}

/// The same, perhaps with `math_approx_mode`.
fn in_cpp_as(
    device: &Device,
    name: &str,
    cases: &[Case],
    (width, math_approx_mode): (DstWidth, bool),
) -> Option<Program> {
    let workshop = workshop()?;
    let mut text = String::from("#include <array>\n#include <cstdint>\n");
    for header in HEADERS {
        let _ = writeln!(text, "#include \"api/compute/{header}.h\"");
    }
    text.push_str(
        "void kernel_main() {\ncompute_kernel_hw_startup(0, 0, 16);\ncb_wait_front(0, 4);\n",
    );
    for (calls, _) in cases {
        let _ = writeln!(
            text,
            "{{ tile_regs_acquire(); copy_tile_init(0);
             for (uint32_t tile = 0; tile < 4; ++tile) {{ copy_tile(0, tile, tile); }}
             {calls}
             tile_regs_commit(); tile_regs_wait(); cb_reserve_back(16, 4);
             for (uint32_t tile = 0; tile < 4; ++tile) {{ pack_tile(tile, 16); }}
             cb_push_back(16, 4); tile_regs_release(); }}"
        );
    }
    text.push_str("}\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-vector");
    fs::create_dir_all(&folder).expect("a folder for kernels");
    let file = folder.join(format!("{name}.cpp"));
    fs::write(&file, text).expect("a file for a kernel");
    let (mut builder, config) = builder(width, cases.len());
    let config = ComputeConfig { math_approx_mode, ..config };
    let cpp = CppKernel { source: CppSource::file(file), role: CppRole::Compute(config) };
    builder.cpp_kernel("compute", ORIGIN, cpp, CompileTimeArgs::default());
    let built = builder.build(device.architecture(), device.l1_lowest());
    let mut program = built.expect("it is right");
    program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    Some(program)
}

fn check(name: &str, cases: Vec<Case>, width: DstWidth) {
    check_on(&Device::n150, name, &cases, width);
}

fn check_on(device: &dyn Fn() -> Device, name: &str, cases: &[Case], width: DstWidth) {
    let Some(program) = in_cpp(&device(), name, cases, width) else { return };
    let (cpp, rust) = (output(&program, &mut device()), in_rust(device(), cases, width));
    let case_bytes = rust.len() / cases.len();
    for (at, (calls, _)) in cases.iter().enumerate() {
        let part = at * case_bytes..(at + 1) * case_bytes;
        assert!(rust[part.clone()] == cpp[part], "differs: {calls}");
    }
}

#[test]
fn sorting_and_maxima_with_indices() {
    check("sorts", sorts(), DstWidth::Bits16);
}

#[test]
fn functions_that_carry_values_between_calls() {
    check("scans16", scans(), DstWidth::Bits16);
    check("scans32", scans(), DstWidth::Bits32);
}

/// Checks cases on Blackhole, and that Wormhole refuses their function by its name.
fn check_on_blackhole_alone(name: &str, cases: &[Case], function: &str) {
    let blackhole = || Device::named("p150").expect("it is known");
    for width in [DstWidth::Bits16, DstWidth::Bits32] {
        check_on(&blackhole, name, cases, width);
    }
    let Some(program) = in_cpp(&Device::n150(), name, cases, DstWidth::Bits32) else {
        return;
    };
    let outcome = program.run(&mut Device::n150(), RunOptions::default(), &mut []);
    let refusal = format!("{function} on Wormhole: there is evidence for Blackhole alone");
    assert_eq!(reason(&outcome.expect("it can run")), &StopReason::NotModelled(refusal));
}

#[test]
fn functions_of_blackhole_alone() {
    check_on_blackhole_alone("uniform", &uniform(), "rand_tile");
    check_on_blackhole_alone("capped", &capped(), "softcap_tile");
}

/// What each of several calls leaves in four tiles, face by face; nothing without a compiler.
fn faces_of(chip: &str, name: &str, calls: &[&'static str], width: DstWidth) -> Vec<Vec<u8>> {
    let mut device = Device::named(chip).expect("it is known");
    let cases: Vec<Case> = calls.iter().map(|calls| (*calls, Vec::new())).collect();
    let Some(program) = in_cpp(&device, name, &cases, width) else { return Vec::new() };
    let bytes = output(&program, &mut device);
    let face_bytes = bytes.len() / calls.len() / (4 * TILES as usize);
    bytes.chunks(face_bytes).map(<[u8]>::to_vec).collect()
}

/// A scale that is a power of two is exact: it may as well be applied to the values.
#[test]
fn a_scale_that_an_init_leaves() {
    let calls = [
        "binop_with_scalar_tile_init();
         mul_unary_tile(0, 0x3f000000); mul_unary_tile(1, 0x3f000000);
         exp_tile_init<true, 0x3f800000, InputClamping::None>();
         exp_tile<true, false, InputClamping::None>(0);
         exp_tile<true, false, InputClamping::None>(1);",
        "exp_tile_init<true, 0x3f000000, InputClamping::None>();
         exp_tile<true, false, InputClamping::None, 32>(0, VectorMode::None);
         exp_tile<true, false, InputClamping::None>(1);",
        "exp_tile_init<true, 0x3f800000, InputClamping::None>();
         exp_tile<true, false, InputClamping::None, 32>(0, VectorMode::None);
         exp_tile<true, false, InputClamping::None>(1);",
    ];
    for (chip, width) in [("n150", DstWidth::Bits16), ("p150", DstWidth::Bits32)] {
        let faces = faces_of(chip, &format!("scaled-{chip}"), &calls, width);
        let Some((values, scaled)) = faces.split_at_checked(16) else { return };
        assert!(values == &scaled[..16], "{chip}: the scale is in the init");
        assert!(values[..8] != scaled[16..24], "{chip}: and not in the next one");
    }
}

/// The accurate variant takes a scale from the call, in bf16; the fast ones take no notice of it.
#[test]
fn a_scale_that_a_call_gives() {
    let calls = [
        "binop_with_scalar_tile_init();
         mul_unary_tile(0, 0xbf000000); mul_unary_tile(1, 0xbf000000);
         exp_tile_init(); exp_tile(0); exp_tile(1);",
        "exp_tile_init(); exp_tile<false, true>(0, VectorMode::RC, 0xbf00);
         exp_tile<false, true, InputClamping::ClampToNegative, 32>(1, VectorMode::None, 0xbf00);",
        "exp_tile_init(); exp_tile(0); exp_tile<false, true>(1);",
        "exp_tile_init<true>(); exp_tile<true>(0); exp_tile<true>(1);",
        "exp_tile_init<true>(); exp_tile<true, true>(0, VectorMode::RC, 0xbf00); \
         exp_tile<true, true>(1, VectorMode::RC, 0xbf00);",
    ];
    let widths = [DstWidth::Bits16, DstWidth::Bits32];
    for (chip, width) in ["n150", "p150"].into_iter().flat_map(|chip| widths.map(|w| (chip, w))) {
        let faces = faces_of(chip, &format!("scale-{chip}-{width:?}"), &calls, width);
        let Some((values, scaled)) = faces.split_at_checked(16) else { return };
        assert!(values == &scaled[..16], "{chip}: the scale is in the call");
        assert!(values[..8] != scaled[16..24], "{chip}: and not in one without it");
        assert!(scaled[32..48] == scaled[48..], "{chip}: nor in the fast variant");
    }
}

/// Of 32 bits every format is the same choice, and the same fill.
#[test]
fn choices_and_fills_of_whole_numbers() {
    let cases = vec![(
        "where_tile_init(); where_tile<DataFormat::Int32>(0, 1, 2, 3);
         where_tile<DataFormat::UInt32>(3, 0, 1, 0);
         fill_tile_init(); fill_tile_int<DataFormat::UInt32>(1, 7);
         mul_int32_tile_init(); mul_int32_tile(0, 2, 2); mul_uint32_tile(2, 3, 2);",
        vec![
            ("where_tile<Float32>", &[0, 1, 2][..], 3, vec![]),
            ("where_tile<Float32>", &[3, 0, 1][..], 0, vec![]),
            call("fill_tile_int<Int32>", &[1], &[7]),
            ("mul_int_tile<Int32>", &[0, 2][..], 2, vec![]),
            ("mul_int_tile<Int32>", &[2, 3][..], 2, vec![]),
        ],
    )];
    check("whole", cases, DstWidth::Bits32);
}

/// Of other formats they are the same instructions.
#[test]
fn negations_and_fills_of_further_formats() {
    let cases = vec![
        (
            "logical_not_tile_init(); logical_not_tile<DataFormat::Bfp8_b>(0);
             logical_not_tile<DataFormat::Bfp4_b>(1);",
            vec![
                call("logical_not_tile<Float16_b>", &[0], &[]),
                call("logical_not_tile<Float16_b>", &[1], &[]),
            ],
        ),
        (
            "fill_tile_init(); fill_tile_int<DataFormat::UInt16>(1, 7);",
            vec![
                call("relu_min_tile_uint16", &[1], &[7]),
                call("relu_max_tile_uint16", &[1], &[7]),
            ],
        ),
    ];
    check("further", cases, DstWidth::Bits16);
}

/// With `math_approx_mode` a reciprocal is another function, and what has no evidence is refused.
#[test]
fn functions_that_the_approximate_mode_changes() {
    let function = |name, at| call(name, if at == 0 { &[0] } else { &[1] }, &[]);
    let cases = [
        (
            "recip_tile_init<false>(); recip_tile<false>(0); recip_tile<false>(1);",
            vec![function("recip_tile<APPROX>", 0), function("recip_tile<APPROX>", 1)],
        ),
        ("recip_tile_init(); recip_tile(0);", vec![function("recip_tile<APPROX,legacy>", 0)]),
    ];
    let refused: [Case; 3] = [
        ("rsqrt_tile_init<true>(); rsqrt_tile<true>(0);", Vec::new()),
        ("i1_tile_init(); i1_tile(0);", Vec::new()),
        ("atan2_binary_tile_init(); atan2_binary_tile(0, 1, 2);", Vec::new()),
    ];
    let refusals = [
        "rsqrt_tile<true> with math_approx_mode",
        "i1_tile with math_approx_mode",
        "atan2_binary_tile with math_approx_mode and a 32-bit Dst",
    ];
    for chip in ["n150", "p150"] {
        let device = || Device::named(chip).expect("it is known");
        for width in [DstWidth::Bits16, DstWidth::Bits32] {
            let name = format!("approximate-{chip}-{width:?}");
            let Some(program) = in_cpp_as(&device(), &name, &cases, (width, true)) else { return };
            let rust = in_rust(device(), &cases, width);
            assert!(output(&program, &mut device()) == rust, "{chip} {width:?}");
        }
        for (at, (case, refusal)) in refused.iter().zip(refusals).enumerate() {
            let (name, case) = (format!("refused-{chip}-{at}"), std::slice::from_ref(case));
            let modes = (DstWidth::Bits32, true);
            let Some(program) = in_cpp_as(&device(), &name, case, modes) else { return };
            let outcome = program.run(&mut device(), RunOptions::default(), &mut []);
            let refusal = StopReason::NotModelled(refusal.to_owned());
            assert_eq!(reason(&outcome.expect("it can run")), &refusal);
        }
    }
}

/// What a call on the left faces leaves there is what a call on all leaves; the others stay.
#[test]
fn extremes_of_the_left_faces() {
    let calls = [
        "binary_max_tile_init(); binary_max_tile(0, 1, 2);",
        "binary_max_tile_init(); binary_max_tile(0, 1, 2, VectorMode::C);",
        "binary_min_tile_init(); binary_min_tile(0, 1, 2);",
        "binary_min_tile_init(); binary_min_tile(0, 1, 2, VectorMode::C);",
        "",
    ];
    for (chip, width) in [("n150", DstWidth::Bits16), ("p150", DstWidth::Bits32)] {
        let faces = faces_of(chip, &format!("extremes-{chip}"), &calls, width);
        let face = |case: usize, face: usize| &faces[(case * TILES as usize + 2) * 4 + face];
        for (all, at) in [0, 2].into_iter().flat_map(|all| (0..4).map(move |at| (all, at))) {
            if faces.is_empty() {
                return;
            }
            let same = if at % 2 == 0 { all } else { 4 };
            assert!(face(all + 1, at) == face(same, at), "{chip}: face {at} of {}", calls[all + 1]);
            assert!(face(all, at) != face(4, at), "{chip}: face {at} is as it was");
        }
    }
}

/// A block whose size only its init is told is a block of a constant size.
#[test]
fn maxima_of_a_block_whose_size_is_no_constant() {
    let calls = [
        "reduce_block_max_row_init<3>(16); reduce_block_max_row<3>(0, 0, 1, 2);
         reduce_block_max_row_uninit(0);",
        "volatile uint32_t tiles = 3; reduce_block_max_row_init_runtime(16, tiles);
         reduce_block_max_row_runtime(0, 0, 1, 2); reduce_block_max_row_uninit_runtime(0);",
        "",
    ];
    let faces = faces_of("n150", "block-maxima", &calls, DstWidth::Bits16);
    let tiles: Vec<&[Vec<u8>]> = faces.chunks(4).collect();
    for at in 0..if tiles.is_empty() { 0 } else { 4 } {
        assert!(tiles[at] == tiles[4 + at], "tile {at}");
        assert_eq!(tiles[at] == tiles[8 + at], at != 2, "tile {at} is as it was");
    }
}

/// Semaphores of the unpackers tell the halves apart, and they are not modelled.
#[test]
fn blocks_that_come_in_two_halves_are_refused() {
    let calls = [
        "reduce_block_max_row_init<3, true>(16);",
        "reduce_block_max_row_init<3>(16); reduce_block_max_row<3, true>(0, 0, 1, 2);",
        "reduce_block_max_row_init_runtime(16, 3, true);",
    ];
    for (place, calls) in calls.into_iter().enumerate() {
        let (mut device, name) = (Device::n150(), format!("halves-{place}"));
        let cases = [(calls, Vec::new())];
        let Some(program) = in_cpp(&device, &name, &cases, DstWidth::Bits16) else { return };
        let outcome = program.run(&mut device, RunOptions::default(), &mut []);
        let refusal = "maxima of rows of a block that comes in two halves".to_owned();
        let outcome = outcome.expect("it can run");
        assert_eq!(reason(&outcome), &StopReason::NotModelled(refusal), "{calls}");
    }
}

#[test]
fn reductions_by_the_vector_unit() {
    check("reductions", reductions(), DstWidth::Bits32);
}

#[test]
fn arithmetic_whose_init_takes_scalars() {
    check("arithmetic", arithmetic(), DstWidth::Bits32);
}
