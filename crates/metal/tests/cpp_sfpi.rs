//! Vector code of a kernel's own: sfpi and single instructions.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::common::{Log, ORIGIN, completed, the_stop};
use crate::cpp_common::workshop;
use tilewright_machine::{
    CbId, EventKind, L1Address, Outcome, RunOptions, StopReason, VectorOperation,
};
use tilewright_metal::cpp::{CppKernel, CppRole, CppSource};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, DataMovementPlace, Device, Program,
};
use tilewright_tile::sfpu::fma;
use tilewright_tile::sfpu::program::{FunctionId, Operands, VectorState};
use tilewright_tile::{Chip, DataFormat, DstWidth, TILE_VALUES};

/// What stands before the tested call: `OP` is in `ckernel::sfpu`, or is a statement.
const BEFORE: &str = r#"
#include "api/compute/binary_comp.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/activations.h"
#include "api/compute/eltwise_unary/dropout.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/eltwise_unary/rand.h"
#include "api/compute/eltwise_unary/relu.h"
#include "api/compute/tile_move_copy.h"
#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;
namespace ckernel::sfpu {
"#;
const AFTER: &str = r"
}
#endif
void kernel_main() {
    init_sfpu(0, 16);
    tile_regs_acquire();
    cb_wait_front(0, 1);
    copy_tile_init(0);
    copy_tile(0, 0, 0);
    STATEMENT;
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}
";
const ON_EACH_FACE: &str = "MATH(SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC_MODE, \
     DST_ACCUM_MODE, own, 0, VectorMode::RC, get_arg_val<uint32_t>(0)))";

/// A tile of fp32 numbers of all signs and sizes, with zeros.
fn input() -> Vec<u32> {
    let number = |at: usize| match at % 64 {
        0 => 0,
        1 => 0x8000_0000,
        _ => {
            let mixed = (at as u32).wrapping_mul(2_654_435_761);
            mixed & 0x807f_ffff | (118 + (mixed >> 8) % 14) << 23
        }
    };
    (0..TILE_VALUES).map(number).collect()
}

struct Ran {
    outcome: Outcome,
    log: Log,
    output: Vec<u32>,
}

/// Runs a statement on a tile of fp32 numbers, with functions of its own before it.
fn run(functions: &str, statement: &str) -> Option<Ran> {
    run_in("cpp-sfpi", functions, statement)
}

/// The same for a kernel in a folder of its own.
fn run_in(folder: &str, functions: &str, statement: &str) -> Option<Ran> {
    run_on(Device::n150(), folder, functions, statement)
}

fn run_on(mut device: Device, folder: &str, functions: &str, statement: &str) -> Option<Ran> {
    let workshop = workshop()?;
    let text = format!("{BEFORE}{functions}{}", AFTER.replace("STATEMENT", statement));
    let mut config = ComputeConfig::default();
    config.settings.width = DstWidth::Bits32;
    config.unpack_to_dst = [0].into_iter().collect();
    let mut builder = Program::builder("vector code");
    for (id, name) in [(0, "cb_in"), (16, "cb_out")] {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(id, name, DataFormat::Float32, 1));
    }
    let cpp = CppKernel { source: file(folder, &text), role: CppRole::Compute(config) };
    let compute = builder.cpp_kernel("compute", ORIGIN, cpp, CompileTimeArgs::default());
    builder.runtime_args(compute, ORIGIN, &[0x3e2a_aaab, 0x3f00_0000]);
    let place = DataMovementPlace::Reader;
    builder.data_movement("reader", ORIGIN, place, CompileTimeArgs::default(), |k| {
        k.cb_reserve_back(0, 1);
        k.cb_push_back(0, 1);
    });
    let built = builder.build(device.architecture(), device.l1_lowest());
    let mut program = built.expect("it is right");
    program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    let base = |id: u8| -> L1Address {
        let placed = program.placed_buffers(ORIGIN).iter().find(|buffer| buffer.id == CbId(id));
        placed.expect("it is placed").base
    };
    let core = device.machine_mut().core_mut(ORIGIN).expect("a core");
    let bytes: Vec<u8> = input().iter().flat_map(|word| word.to_le_bytes()).collect();
    core.l1_mut().get_mut(base(0), bytes.len()).expect("L1").copy_from_slice(&bytes);
    let mut log = Log::default();
    let options = RunOptions::default();
    let outcome = program.run(&mut device, options, &mut [&mut log]).expect("it can run");
    let core = device.machine().core(ORIGIN).expect("a core");
    let bytes = core.l1().get(base(16), 4 * TILE_VALUES).expect("L1");
    let output = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Some(Ran { outcome, log, output })
}

/// A file with a kernel, named after what it holds: tests run at the same time.
fn file(folder: &str, text: &str) -> CppSource {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).expect("a folder for kernels");
    let mix = |name: u64, byte: u8| (name ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let name = text.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    let file = folder.join(format!("{name:016x}.cpp"));
    fs::write(&file, text).expect("a file for a kernel");
    CppSource::file(file)
}

/// Runs both, and demands equal bits.
#[track_caller]
fn check(named: &str, functions: &str, statement: &str) {
    let Some(expected) = run("", named) else { return };
    let Some(own) = run(functions, statement) else { return };
    completed(&expected.outcome);
    completed(&own.outcome);
    assert_ne!(expected.output, input(), "{named} does something");
    let first = (0..TILE_VALUES).find(|at| expected.output[*at] != own.output[*at]);
    if let Some(at) = first {
        let (x, wanted, got) = (input()[at], expected.output[at], own.output[at]);
        panic!("{named} of {x:#x} is {wanted:#x}, and own code makes {got:#x}");
    }
}

#[test]
fn a_condition_selects_lanes() {
    let own = r"
void own(uint32_t) {
    for (int d = 0; d < 8; d++) {
        vFloat x = dst_reg[0];
        v_if(x < 0.0f) { x = 0.0f; }
        v_endif;
        dst_reg[0] = x;
        dst_reg++;
    }
}";
    check("relu_tile_init(); relu_tile(0)", own, ON_EACH_FACE);
}

/// A number that only the running kernel knows is joined with the sum: one rounding.
#[test]
fn conditions_lie_within_each_other() {
    let own = r"
void own(uint32_t bits) {
    const float sixth = __builtin_bit_cast(float, bits);
    const float half = __builtin_bit_cast(float, get_arg_val<uint32_t>(1));
    for (int d = 0; d < 8; d++) {
        vFloat x = dst_reg[0];
        vFloat y = x * sixth + half;
        v_if(y > -1.0e9f) {
            v_if(y > 1.0f) { y = 1.0f; }
            v_elseif(y < 0.0f) { y = 0.0f; }
            v_else { y = y; }
            v_endif;
        }
        v_endif;
        dst_reg[0] = y;
        dst_reg++;
    }
}";
    check("hardsigmoid_tile_init(); hardsigmoid_tile(0)", own, ON_EACH_FACE);
}

/// The same with literals is rounded twice, because an instruction takes 0.5 along.
#[test]
fn literals_are_taken_along() {
    let body = |first: &str, second: &str| {
        format!(
            "void own(uint32_t bits) {{
    const float sixth = {first}, half = {second};
    for (int d = 0; d < 8; d++) {{
        dst_reg[0] = vFloat(dst_reg[0]) * sixth + half;
        dst_reg++;
    }}
}}"
        )
    };
    let literal = body("0x1.555556p-3f", "0.5f");
    let running = body(
        "__builtin_bit_cast(float, bits)",
        "__builtin_bit_cast(float, get_arg_val<uint32_t>(1))",
    );
    let Some(twice) = run(&literal, ON_EACH_FACE) else { return };
    let Some(once) = run(&running, ON_EACH_FACE) else { return };
    completed(&twice.outcome);
    let [sixth, half, one] = [0x3e2a_aaab, 0x3f00_0000, 0x3f80_0000];
    for (at, x) in input().into_iter().enumerate() {
        let product = fma(Chip::Wormhole, x, sixth, 0);
        assert_eq!(twice.output[at], fma(Chip::Wormhole, half, one, product), "{x:#x} twice");
        assert_eq!(once.output[at], fma(Chip::Wormhole, x, sixth, half), "{x:#x} once");
    }
    assert_ne!(once.output, twice.output);
}

/// What becomes of a value.
type Expected<'a> = &'a dyn Fn(u32) -> u32;

/// A product that leaves a loop is in another basic block than the sum that follows, unless the
/// loop's length is known and the compiler has unrolled it: only then are the two joined.
#[test]
fn products_out_of_loops_stay_apart() {
    let own = |loops: &str, sum: &str| {
        format!(
            "void own(uint32_t bits) {{
                const float third = __builtin_bit_cast(float, bits);
                const int times = get_arg_val<uint32_t>(1) >> 29;
                for (int d = 0; d < 8; d++) {{
                    vFloat x = dst_reg[0], power = x, sum;
                    {loops}
                    dst_reg[0] = {sum};
                    dst_reg++;
                }}
            }}"
        )
    };
    const THIRD: u32 = 0x3e2a_aaab;
    let times = |a: u32, b: u32| fma(Chip::Wormhole, a, b, 0);
    let apart = |x: u32, last: u32| fma(Chip::Wormhole, 0x3f80_0000, times(x, last), THIRD);
    let joined = |x: u32, last: u32| fma(Chip::Wormhole, x, last, THIRD);
    let [unknown, known] = ["times", "3"]
        .map(|length| format!("for (int j = 0; j < {length}; j++) {{ power = power * x; }}"));
    let sum_in_loop = "for (int j = 0; j < times; j++) { power = power * x + third; }";
    let cases: [(&str, &str, Expected<'_>); 7] = [
        (&unknown, "power + third", &|x| apart(x, x)),
        (&format!("power = x * x; {unknown}"), "power + third", &|x| apart(x, times(x, x))),
        ("for (int j = 0; j < times; j++) { power = x * x; sum = power + third; }", "sum", &|x| {
            joined(x, x)
        }),
        (&format!("{unknown} vFloat y = power * x;"), "y + third", &|x| joined(x, times(x, x))),
        (&known, "power + third", &|x| joined(x, times(x, times(x, x)))),
        ("power = power * x;", "power + third", &|x| joined(x, x)),
        (sum_in_loop, "power", &|x| joined(x, x)),
    ];
    for (loops, sum, expected) in cases {
        let Some(ran) = run(&own(loops, sum), ON_EACH_FACE) else { return };
        completed(&ran.outcome);
        let wanted: Vec<u32> = input().into_iter().map(expected).collect();
        let first = (0..TILE_VALUES).find(|at| wanted[*at] != ran.output[*at]);
        assert_eq!(first, None, "{loops}");
    }
}

/// In a 32-bit Dst, accesses of 16 bits count rows of 16 bits: those of tile 1 are the second half
/// of tile 0, and every other eight are lower halves, which copies have not defined. Functions by
/// name, which golden cases cover, do the same.
#[test]
fn accesses_of_16_bits_in_a_32_bit_dst_count_rows_of_16_bits() {
    let own = |mode: u32| {
        format!(
            "void own(uint32_t) {{
                for (int d = 0; d < 8; d++) {{
                    TTI_SFPLOAD(p_sfpu::LREG0, {mode}, ADDR_MOD_3, 64);
                    TTI_SFPSTORE(p_sfpu::LREG0, {mode}, ADDR_MOD_3, 0);
                    dst_reg++;
                }}
            }}"
        )
    };
    let by_layout = "void own(uint32_t) {
        for (int d = 0; d < 8; d++) {
            vFloat x = dst_reg[32].mode<sfpi::DataLayout::F16b>();
            dst_reg[0].mode<sfpi::DataLayout::F16b>() = x;
            dst_reg++;
        }
    }";
    let (bits, second) = (input(), TILE_VALUES / 2);
    let upper = bits[second..].iter().map(|word| word & 0xffff_0000);
    let wanted: Vec<u32> = upper.chain(bits[second..].iter().copied()).collect();
    let named = "copy_dest_values_init(); copy_dest_values<DataFormat::Float16_b>(1, 0)";
    let cases = [
        (own(2), ON_EACH_FACE),
        (own(6), ON_EACH_FACE),
        (by_layout.to_owned(), ON_EACH_FACE),
        (String::new(), named),
    ];
    for (own, statement) in cases {
        let Some(ran) = run(&own, statement) else { return };
        completed(&ran.outcome);
        assert_eq!(ran.output, wanted, "{own}{statement}");
    }
}

#[test]
fn instructions_are_replayed() {
    let own = r"
void own(uint32_t) {
    lltt::record<lltt::Exec>(0, 6);
    TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
    TTI_SFPSETCC(0, p_sfpu::LREG0, 0, sfpi::SFPSETCC_MOD1_LREG_LT0);
    TTI_SFPLOADI(p_sfpu::LREG0, sfpi::SFPLOADI_MOD0_FLOATB, 0);
    TTI_SFPENCC(0, 0, 0, 0);
    TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
    TTI_INCRWC(0, 2, 0, 0);
    for (int d = 1; d < 8; d++) {
        lltt::replay(0, 6);
    }
}";
    check("relu_tile_init(); relu_tile(0)", own, ON_EACH_FACE);
}

/// An exchange writes no constant, and configured lanes compare the other way round.
#[test]
fn exchanges_leave_constants_alone() {
    let body = |before: &str, mode: &str, after: &str| {
        format!(
            "void own(uint32_t bits) {{
    vConstIntPrgm0 = bits;
    {before}
    for (int d = 0; d < 8; d++) {{
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        TTI_SFPSWAP(0, p_sfpu::LREG12, p_sfpu::LREG0, {mode});
        TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        dst_reg++;
    }}
    {after}
}}"
        )
    };
    let named = "unary_max_tile_init(); unary_max_tile(0, get_arg_val<uint32_t>(0))";
    check(named, &body("", "9", ""), ON_EACH_FACE);
    let reverse = "TTI_SFPLOADI(0, 10, 0x100); TTI_SFPLOADI(0, 8, 0); TTI_SFPCONFIG(0, 15, 0);";
    check(named, &body(reverse, "1", "TTI_SFPCONFIG(0, 15, 1);"), ON_EACH_FACE);
}

/// With a 32-bit Dst a rounding mode changes nothing; an init may name its format or leave it out.
#[test]
fn spellings_of_a_function_agree() {
    let plain = "add_binary_tile_init(); add_binary_tile(0, 0, 0)";
    let rounded = "add_binary_tile_init(); add_binary_tile<DstRoundingMode::NearestEven>(0, 0, 0)";
    check(plain, "", rounded);
    let call = "eq_int_tile<DataFormat::Int32>(0, 0, 0)";
    let [older, newer] = ["eq_int_tile_init()", "eq_int_tile_init<DataFormat::Int32>()"]
        .map(|init| format!("{init}; {call}"));
    check(&older, "", &newer);
}

/// The name that kernels of before 2026 call: of a tile and the next one.
#[test]
fn the_older_maximum_of_two_tiles() {
    let own = "void own(uint32_t) {
    for (int d = 0; d < 8; d++) {
        vFloat a = dst_reg[0];
        vFloat b = dst_reg[32];
        v_if(a < b) { dst_reg[0] = b; }
        v_endif;
        dst_reg++;
    }
}";
    let next = "copy_tile(0, 0, 1); negative_tile_init(); negative_tile(1);";
    let named = format!("{next} max_tile_init(); max_tile(0, 1)");
    check(&named, own, &format!("{next} {ON_EACH_FACE}"));
}

/// An approximate exponential that does not clamp its operand is another function.
#[test]
fn an_exponential_without_clamping_is_its_own() {
    let own = "void own(uint32_t) {
    vConstIntPrgm0 = 0x43b8aa3b;
    vConstIntPrgm1 = 0x46fde9a3;
    for (int d = 0; d < 8; d++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        TTI_SFPMAD(p_sfpu::LREG12, p_sfpu::LREG0, p_sfpu::LREG13, p_sfpu::LREG0, 0);
        TTI_SFP_STOCH_RND(0, 0, 0, p_sfpu::LREG0, p_sfpu::LREG0, 7);
        TTI_SFPMOV(0, p_sfpu::LREG0, p_sfpu::LREG1, 0);
        TTI_SFPSHFT(15, 0, p_sfpu::LREG1, 1);
        TTI_SFPSETSGN(0, p_sfpu::LREG1, p_sfpu::LREG0, 0);
        TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        dst_reg++;
    }
}";
    let named = "exp_tile_init<true, 0x3f800000, InputClamping::None>(); \
                 exp_tile<true, false, InputClamping::None>(0)";
    check(named, own, ON_EACH_FACE);
}

/// Blackhole's accesses name any of eight address modes, whichever half drivers choose.
#[test]
fn accesses_of_blackhole_name_eight_address_modes() {
    let own = "void own(uint32_t) {
    ckernel::addr_mod_t{.dest = {.incr = 2}}.set(ADDR_MOD_6);
    ckernel::addr_mod_t{.dest = {.incr = 9}}.set(ADDR_MOD_2);
    for (int d = 0; d < 4; d++) {
        TT_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_7, 0);
        TTI_SFPABS(0, p_sfpu::LREG0, p_sfpu::LREG0, 1);
        TT_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_6, 0);
    }
    for (int d = 0; d < 4; d++) {
        dst_reg[0].mode<sfpi::DataLayout::F32>(ADDR_MOD_6) = sfpi::abs(vFloat(dst_reg[0]));
    }
}";
    let blackhole = || Device::named("p150").expect("it is known");
    let named = "abs_tile_init(); abs_tile(0)";
    let Some(expected) = run_on(blackhole(), "cpp-sfpi-p150", "", named) else { return };
    let Some(own) = run_on(blackhole(), "cpp-sfpi-p150", own, ON_EACH_FACE) else { return };
    completed(&expected.outcome);
    completed(&own.outcome);
    assert!(own.output == expected.output);
}

/// SFPARECIP by both of its names: what `recip_tile` is with `math_approx_mode`.
#[test]
fn blackhole_estimates_reciprocals() {
    let own = "void own(uint32_t) {
    for (int d = 0; d < 4; d++) {
        TTI_SFPLOAD(p_sfpu::LREG1, InstrModLoadStore::DEFAULT, ADDR_MOD_7, 0);
        TTI_SFPARECIP(0, p_sfpu::LREG1, p_sfpu::LREG0, sfpi::SFPARECIP_MOD1_RECIP);
        TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_7, 0);
        dst_reg++;
    }
    for (int d = 0; d < 4; d++) {
        dst_reg[0] = sfpi::approx_recip(dst_reg[0]);
        dst_reg++;
    }
}";
    let blackhole = Device::named("p150").expect("it is known");
    let Some(own) = run_on(blackhole, "cpp-sfpi-p150", own, ON_EACH_FACE) else { return };
    completed(&own.outcome);
    let estimate = FunctionId::from_name("recip_tile<APPROX>").expect("declared").function();
    let (unit, mut state) = ((Chip::Blackhole, DstWidth::Bits32), VectorState::default());
    let mut tile = [0; TILE_VALUES];
    tile.copy_from_slice(&input());
    let tiles = std::slice::from_mut(&mut tile);
    estimate.run(&mut Operands::new(unit, [0; 3], &[], tiles, &mut state)).expect("a program");
    assert!(own.output == tile);
}

/// A mask of what is larger than zero, and of two registers what both have or either has.
#[test]
fn blackhole_masks_what_is_larger() {
    let own = "void own(uint32_t) {
    constexpr unsigned mask = 8, other = 1;
    for (int d = 0; d < 8; d++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_7, 0);
        TTI_SFPMOV(0, p_sfpu::LREG0, p_sfpu::LREG1, 0);
        TTI_SFPGT(0, p_sfpu::LCONST_0, p_sfpu::LREG1, mask);
        TTI_SFPLOADI(p_sfpu::LREG2, sfpi::SFPLOADI_MOD0_FLOATB, 0x4000);
        TTI_SFPLOADI(p_sfpu::LREG3, sfpi::SFPLOADI_MOD0_FLOATB, 0x4000);
        TTI_SFPAND(p_sfpu::LREG0, p_sfpu::LREG1, p_sfpu::LREG2, other);
        TTI_SFPOR(p_sfpu::LREG2, p_sfpu::LREG2, p_sfpu::LREG3, other);
        TTI_SFPSTORE(p_sfpu::LREG3, InstrModLoadStore::DEFAULT, ADDR_MOD_7, 0);
        dst_reg++;
    }
}";
    let blackhole = Device::named("p150").expect("it is known");
    let Some(own) = run_on(blackhole, "cpp-sfpi-p150", own, ON_EACH_FACE) else { return };
    completed(&own.outcome);
    let wanted = input().into_iter().map(|word| if word >> 31 == 0 { word } else { 0 });
    assert!(own.output == wanted.collect::<Vec<u32>>());
}

/// SFPLE and SFPGT as conditions, one within the other, and as masks: what is at least zero and at
/// most one is kept.
#[test]
fn blackhole_tests_what_is_larger() {
    let own = "void own(uint32_t) {
    constexpr unsigned flags = 1, mask = 8;
    TTI_SFPLOADI(p_sfpu::LREG2, sfpi::SFPLOADI_MOD0_FLOATB, 0xbf80);
    for (int d = 0; d < 8; d++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_7, 0);
        TTI_SFPMOV(0, p_sfpu::LREG0, p_sfpu::LREG1, 0);
        TTI_SFPLE(0, p_sfpu::LCONST_1, p_sfpu::LREG0, flags);
        TTI_SFPGT(0, p_sfpu::LREG2, p_sfpu::LREG0, flags);
        TTI_SFPLOADI(p_sfpu::LREG1, sfpi::SFPLOADI_MOD0_FLOATB, 0x4000);
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_SFPLE(0, p_sfpu::LCONST_0, p_sfpu::LREG0, mask);
        TTI_SFPAND(0, p_sfpu::LREG0, p_sfpu::LREG1, 0);
        TTI_SFPSTORE(p_sfpu::LREG1, InstrModLoadStore::DEFAULT, ADDR_MOD_7, 0);
        dst_reg++;
    }
}";
    let blackhole = Device::named("p150").expect("it is known");
    let Some(own) = run_on(blackhole, "cpp-sfpi-p150", own, ON_EACH_FACE) else { return };
    completed(&own.outcome);
    let wanted = input().into_iter().map(|word| {
        let value = f32::from_bits(word);
        let tested = if value <= 1.0 && value > -1.0 { 2.0_f32.to_bits() } else { word };
        if value <= 0.0 { tested } else { 0 }
    });
    assert!(own.output == wanted.collect::<Vec<u32>>());
}

/// Both halves of products of 23 bits, by the instruction and by sfpi.
#[test]
fn blackhole_multiplies_fractions() {
    let own = "void own(uint32_t) {
    constexpr unsigned upper = sfpi::SFPMUL24_MOD1_UPPER;
    for (int d = 0; d < 8; d++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::INT32, ADDR_MOD_7, 0);
        TTI_SFPMUL24(p_sfpu::LREG0, p_sfpu::LREG0, p_sfpu::LCONST_0, p_sfpu::LREG1, upper);
        TTI_SFPSTORE(p_sfpu::LREG1, InstrModLoadStore::INT32, ADDR_MOD_7, 0);
        vUInt high = dst_reg[0].mode<sfpi::DataLayout::I32>();
        dst_reg[0].mode<sfpi::DataLayout::I32>() = vUInt(sfpi::fractional_mul(high, high));
        dst_reg++;
    }
}";
    let blackhole = Device::named("p150").expect("it is known");
    let Some(own) = run_on(blackhole, "cpp-sfpi-p150", own, ON_EACH_FACE) else { return };
    completed(&own.outcome);
    let multiplied = |word: u32| {
        let fraction = u64::from(word & 0x7f_ffff);
        let high = (fraction * fraction) >> 23;
        (high * high) as u32 & 0x7f_ffff
    };
    assert!(own.output == input().into_iter().map(multiplied).collect::<Vec<u32>>());
}

/// Loads leave two's complement as it is there; sfpi turns it into sign and magnitude.
#[test]
fn blackhole_loads_sign_and_magnitude_from_twos_complement() {
    let own = "void own(uint32_t) {
    for (int d = 0; d < 8; d++) {
        vSMag value = dst_reg[0].mode<sfpi::DataLayout::I32>();
        dst_reg[0].mode<sfpi::DataLayout::SM32>() = value;
        dst_reg++;
    }
}";
    let blackhole = Device::named("p150").expect("it is known");
    let Some(own) = run_on(blackhole, "cpp-sfpi-p150", own, ON_EACH_FACE) else { return };
    completed(&own.outcome);
    let turned = |word: u32| match word >> 31 {
        0 => word,
        _ => word.wrapping_neg() & 0x7fff_ffff | 0x8000_0000,
    };
    assert!(own.output == input().into_iter().map(turned).collect::<Vec<u32>>());
}

/// Every init sets the lanes back, whatever code before it has left.
#[test]
fn inits_set_the_lanes_back() {
    let own = "void reverse() { TTI_SFPCONFIG(0x104, 15, 1); }
void own(uint32_t bits) {
    vConstIntPrgm0 = bits;
    for (int d = 0; d < 8; d++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        TTI_SFPSWAP(0, p_sfpu::LREG12, p_sfpu::LREG0, sfpi::SFPSWAP_MOD1_VEC_MAX_MIN);
        TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        dst_reg++;
    }
}";
    let reversed = "MATH(ckernel::sfpu::reverse())";
    let scalar = "get_arg_val<uint32_t>(0)";
    let named = |which: &str| format!("unary_{which}_tile_init(); unary_{which}_tile(0, {scalar})");
    check(&named("min"), own, &format!("{reversed}; {ON_EACH_FACE}"));
    for init in [
        "MATH(SFPU_UNARY_INIT(unused))",
        "MATH(SFPU_BINARY_INIT(unused))",
        "MATH(SFPU_TERNARY_INIT(unused))",
        "MATH(llk_math_sfpu_init_once())",
        "relu_tile_init()",
    ] {
        check(&named("max"), own, &format!("{reversed}; {init}; {ON_EACH_FACE}"));
    }
}

/// SFPLZ: lanes go on in which the operand is not zero, whatever the result is.
#[test]
fn leading_zeros_tell_operands_that_are_zero() {
    let own = "void own(uint32_t) {
    for (int d = 0; d < 8; d++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::INT32, ADDR_MOD_3, 0);
        TTI_SFPLZ(0, p_sfpu::LREG0, p_sfpu::LREG1, sfpi::SFPLZ_MOD1_CC_NE0);
        TTI_SFPLOADI(p_sfpu::LREG0, sfpi::SFPLOADI_MOD0_FLOATB, 0x3f80);
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::INT32, ADDR_MOD_3, 0);
        dst_reg++;
    }
}";
    let Some(ran) = run(own, ON_EACH_FACE) else { return };
    completed(&ran.outcome);
    let one_if_any = |x: u32| if x == 0 { 0 } else { 0x3f80_0000 };
    assert_eq!(ran.output, input().into_iter().map(one_if_any).collect::<Vec<u32>>());
}

/// A sum that decides which lanes go on.
#[test]
fn the_compilers_sum_sets_conditions() {
    let own = "void own(uint32_t) {
    for (int d = 0; d < 8; d++) {
        vFloat x = dst_reg[0];
        vFloat y = x;
        v_block {
            __builtin_rvtt_sfpiadd_i(x.get(), 0, sfpi::SFPIADD_MOD1_CC_LT0);
            y = 0.0f;
        }
        v_endblock;
        dst_reg[0] = y;
        dst_reg++;
    }
}";
    check("relu_tile_init(); relu_tile(0)", own, ON_EACH_FACE);
}

/// The first four registers are ordered, and the last four move with them.
#[test]
fn exchanges_take_other_registers_along() {
    let own = "void own(uint32_t bits) {
    TTI_SFPCONFIG(4, 15, 1);
    for (int d = 0; d < 8; d++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        TT_SFPLOADI(p_sfpu::LREG1, 10, bits & 0xffff);
        TT_SFPLOADI(p_sfpu::LREG1, 8, bits >> 16);
        TTI_SFPMOV(0, p_sfpu::LREG0, p_sfpu::LREG4, 0);
        TTI_SFPMOV(0, p_sfpu::LREG1, p_sfpu::LREG5, 0);
        TTI_SFPSWAP(0, p_sfpu::LREG1, p_sfpu::LREG0, 9);
        TTI_SFPSTORE(p_sfpu::LREG4, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        dst_reg++;
    }
    TTI_SFPCONFIG(0, 15, 1);
}";
    check("unary_max_tile_init(); unary_max_tile(0, get_arg_val<uint32_t>(0))", own, ON_EACH_FACE);
}

#[test]
fn the_generator_is_read_by_an_instruction() {
    let own = "void own(uint32_t scale) {
    const uint32_t limit = get_arg_val<uint32_t>(1);
    for (int d = 0; d < 8; d++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        TT_SFPLOADI(p_sfpu::LREG1, 10, scale & 0xffff);
        TT_SFPLOADI(p_sfpu::LREG1, 8, scale >> 16);
        TTI_SFPMUL(p_sfpu::LREG0, p_sfpu::LREG1, p_sfpu::LCONST_0, p_sfpu::LREG0, 0);
        TT_SFPLOADI(p_sfpu::LREG2, 10, limit & 0xffff);
        TT_SFPLOADI(p_sfpu::LREG2, 8, limit >> 16);
        TTI_SFPMOV(0, 9, p_sfpu::LREG3, 8);
        TTI_SFPSETSGN(0, p_sfpu::LREG3, p_sfpu::LREG3, 1);
        TTI_SFPIADD(0, p_sfpu::LREG2, p_sfpu::LREG3, 10);
        TTI_SFPMOV(0, p_sfpu::LCONST_0, p_sfpu::LREG0, 0);
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::DEFAULT, ADDR_MOD_3, 0);
        dst_reg++;
    }
}";
    let named = "dropout_kernel_init(5); \
                 dropout_tile(0, get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(0))";
    check(named, own, &format!("MATH(init_prng_seed(5)); {ON_EACH_FACE}"));
    let Some((what, _)) = refused(own) else { return };
    assert_eq!(what, "numbers of a generator that nothing has seeded");
}

#[test]
fn random_tiles_are_refused_where_nothing_is_known_of_them() {
    let Some(ran) = run("", "rand_tile_init(7)") else { return };
    completed(&ran.outcome);
    let Some(ran) = run("", "rand_tile_init(7); rand_tile(0, 0, 0x3f800000)") else { return };
    let stop = the_stop(&ran.outcome);
    let StopReason::NotModelled(what) = &stop.reason else { panic!("{stop:?}") };
    assert!(what.starts_with("rand_tile on "), "{what}");
}

/// What they compute is vector code of the tree that the kernel lies in.
#[test]
fn drivers_of_statistics_run_code_of_the_kernels_tree() {
    let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-statistics");
    let common = tree.join("tt_metal/tt-llk/tt_llk_wormhole_b0/common/inc/sfpu");
    let api = tree.join("tt_metal/hw/ckernels/wormhole_b0/metal/llk_api/llk_sfpu");
    let code = "#pragma once
inline void _program_welfords_replay_buffer_() {
    lltt::record(0, 3);
    TTI_SFPLOAD(ckernel::p_sfpu::LREG0, 0, ckernel::ADDR_MOD_3, 0);
    TTI_SFPABS(0, ckernel::p_sfpu::LREG0, ckernel::p_sfpu::LREG0, 1);
    TTI_SFPSTORE(ckernel::p_sfpu::LREG0, 0, ckernel::ADDR_MOD_3, 0);
}
";
    for folder in [&common, &api] {
        fs::create_dir_all(folder).expect("room");
    }
    fs::write(common.join("ckernel_sfpu_welfords.h"), code).expect("room");
    let own = "}
#include \"llk_math_common_api.h\"
#include \"llk_math_welfords_sfpu.h\"
#include \"llk_math_welfords_sfpu_params.h\"
namespace ckernel::sfpu {
void own(uint32_t turns) {
    for (uint32_t turn = 0; turn < turns; ++turn) {
        lltt::replay(0, 3);
        dst_reg++;
    }
}";
    let statement = "MATH(_llk_math_welfords_sfpu_init_()); \
                     MATH(_llk_math_welfords_sfpu_params_(ckernel::sfpu::own, 0, 32))";
    let Some(expected) = run("", "abs_tile_init(); abs_tile(0)") else { return };
    let Some(own) = run_in("cpp-statistics", own, statement) else { return };
    completed(&own.outcome);
    assert_eq!(own.output, expected.output);
}

/// Far more code than is kept, without another call.
#[test]
fn long_code_is_executed_in_parts() {
    let own = "void own(uint32_t) {
    for (int d = 0; d < 8; d++) {
        dst_reg[0] = abs(vFloat(dst_reg[0]));
        dst_reg++;
    }
}";
    let again = format!("for (int tile = 0; tile < 300; tile++) {{ {ON_EACH_FACE}; }}");
    check("abs_tile_init(); abs_tile(0)", own, &again);
}

#[test]
fn code_is_an_event_of_the_tiles_it_uses() {
    let own = "
void own(uint32_t) {
    for (int d = 0; d < 8; d++) {
        dst_reg[32] = -vFloat(dst_reg[0]);
        dst_reg++;
    }
}";
    let Some(ran) = run(own, ON_EACH_FACE) else { return };
    completed(&ran.outcome);
    let vectored: Vec<_> = ran
        .log
        .0
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Vectored { operation: VectorOperation::Code, reads, writes } => {
                let index = |used: Option<tilewright_machine::DstUse>| used.map(|used| used.index);
                Some((event.site.line, reads.map(index), index(writes)))
            }
            _ => None,
        })
        .collect();
    let line = BEFORE.lines().count() as u32 + 4;
    assert_eq!(vectored, [(line, [Some(0), None], Some(1))]);
}

/// Sfpi code for the replay buffer: a product, a wait for it, and a store that moves on.
const REPLAYED: &str = "void own(uint32_t bits) {
    addr_mod_t{.dest = {.incr = 2}}.set(ADDR_MOD_6);
    BEFORE
    lltt::record(0, LENGTH);
    vFloat x = dst_reg[0];
    dst_reg[0].mode<sfpi::DataLayout::F32>(ADDR_MOD_2) = x * FACTOR;
    AFTER
}";

fn replayed([before, length, factor, after]: [&str; 4]) -> String {
    let words = [("BEFORE", before), ("LENGTH", length), ("FACTOR", factor), ("AFTER", after)];
    words.iter().fold(REPLAYED.to_owned(), |text, (name, word)| text.replace(name, word))
}

/// The code is repeated wherever the buffer is replayed, with the rows of then.
#[test]
fn sfpi_code_is_replayed() {
    let all = "TTI_REPLAY(0, 4, 0, 0); for (int d = 1; d < 8; d++) { lltt::replay(0, 4); }";
    let square = "square_tile_init(); square_tile(0)";
    check(square, &replayed(["", "4", "x", all]), ON_EACH_FACE);
    let earlier = "vFloat y = dst_reg[0]; dst_reg[0] = y;";
    check(square, &replayed([earlier, "4", "x", all]), ON_EACH_FACE);
}

#[test]
fn sfpi_code_that_no_replay_buffer_holds_is_refused() {
    let among = "TTI_SFPNOP; lltt::replay(0, 4);";
    let cases = [
        (["", "12", "x", "lltt::replay(0, 12);"], "sfpi code of 3 instructions for 12 of the"),
        (["", "2", "x", "lltt::replay(0, 2);"], "sfpi code of 3 instructions for 2 of the"),
        (["", "4", "x", "lltt::replay(1, 3);"], "a part of sfpi code in the replay buffer"),
        (["", "4", "x", "lltt::replay(0, 3);"], "a part of sfpi code in the replay buffer"),
        (["", "4", "x", among], "instructions after sfpi code for the replay buffer"),
        (["vFloat y = dst_reg[2];", "4", "y", ""], "a vector from outside of sfpi code for"),
    ];
    for (code, wanted) in cases {
        let Some((what, _)) = refused(&replayed(code)) else { return };
        assert!(what.starts_with(wanted), "{what}");
    }
}

/// What a run was stopped for, and in which line.
#[track_caller]
fn refused(functions: &str) -> Option<(String, u32)> {
    let ran = run(functions, ON_EACH_FACE)?;
    let stop = the_stop(&ran.outcome);
    let StopReason::NotModelled(what) = &stop.reason else { panic!("{stop:?}") };
    Some((what.clone(), stop.site.line))
}

#[test]
fn what_is_not_modelled_is_refused_in_its_line() {
    let first = BEFORE.lines().count() as u32;
    let own = "void own(uint32_t) {
    vFloat x = dst_reg[0];
    dst_reg[0] = vFloat(convert<vFloat16b>(x));
}";
    let Some((what, line)) = refused(own) else { return };
    assert_eq!((what.as_str(), line), ("stochastic rounding by the vector unit", first + 3));
    let own = "void own(uint32_t) {
    TTI_SFPLOADMACRO(0, 0, 3, 0);
}";
    let Some((what, line)) = refused(own) else { return };
    assert_eq!((what.as_str(), line), ("the instruction SFPLOADMACRO in mode 0", first + 2));
    let own = "void own(uint32_t) {
    if (get_arg_val<uint32_t>(0) == 0) {
        TTI_SFPLOADMACRO(0, 0, 3, 0);
    }
    vFloat never;
    dst_reg[0] = never;
}";
    let Some((what, line)) = refused(own) else { return };
    assert_eq!((what.as_str(), line), ("a vector that was never assigned", first + 6));
}
