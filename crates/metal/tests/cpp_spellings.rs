//! Spellings that real kernels use: older entries and names, pointers moved by hand, mailboxes of
//! BRISC, the wall clock, code for newer compilers, and code that is held and not executed.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::common::{Log, ORIGIN, completed, the_stop};
use crate::cpp_common::workshop;
use tilewright_machine::{
    Ending, EventKind, Outcome, Processor, RingPointer, RunOptions, StopReason,
};
use tilewright_metal::cpp::{CppError, CppKernel, CppRole, CppSource};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, DataMovementPlace, Device, Program,
};
use tilewright_tile::{DataFormat, DstWidth};

const READER: CppRole = CppRole::DataMovement(DataMovementPlace::Reader);
const WRITER: CppRole = CppRole::DataMovement(DataMovementPlace::Writer);

fn compute() -> CppRole {
    CppRole::Compute(ComputeConfig::default())
}

fn written(name: &str, role: CppRole, text: &str) -> CppKernel {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-spellings");
    fs::create_dir_all(&folder).expect("a folder for kernels");
    let file = folder.join(format!("{name}.cpp"));
    fs::write(&file, text).expect("a file for a kernel");
    CppKernel { source: CppSource::file(file), role }
}

/// A program of kernels with three rings of four bf16 tiles, and two of one fp32 tile.
fn compiled(
    name: &str,
    kernels: &[(CppRole, &str)],
) -> Option<(Device, Result<Program, CppError>)> {
    let workshop = workshop()?;
    let device = Device::n150();
    let mut builder = Program::builder(name);
    for (id, ring) in [(0, "cb_in"), (1, "cb_more"), (16, "cb_out")] {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(id, ring, DataFormat::Bfloat16, 4));
    }
    for (id, ring) in [(2, "cb_wide_in"), (17, "cb_wide_out")] {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(id, ring, DataFormat::Float32, 1));
    }
    for (place, (role, text)) in kernels.iter().enumerate() {
        let kernel = written(&format!("{name}_{place}"), role.clone(), text);
        builder.cpp_kernel(&format!("k{place}"), ORIGIN, kernel, CompileTimeArgs::default());
    }
    let built = builder.build(device.architecture(), device.l1_lowest());
    let mut program = built.expect("it is right");
    let made = program.compile(device.architecture(), &workshop, &|_, _| {});
    Some((device, made.map(|()| program)))
}

fn run(name: &str, kernels: &[(CppRole, &str)]) -> Option<(Outcome, Log)> {
    let (mut device, program) = compiled(name, kernels)?;
    let program = program.unwrap_or_else(|error| panic!("{name} does not compile: {error}"));
    let mut log = Log::default();
    let outcome = program.run(&mut device, RunOptions::default(), &mut [&mut log]);
    Some((outcome.expect("it can run"), log))
}

/// What a program's kernels print, in order.
#[track_caller]
fn prints(name: &str, kernels: &[(CppRole, &str)], expected: &[&str]) {
    let Some((outcome, log)) = run(name, kernels) else { return };
    completed(&outcome);
    let said: Vec<&str> = printed(&log).map(|(_, text)| text).collect();
    assert_eq!(said, expected, "{name}");
}

/// What was printed, and by which processor.
fn printed(log: &Log) -> impl Iterator<Item = (Processor, &'static str)> {
    log.0.iter().filter_map(|event| match &event.kind {
        EventKind::Printed { text } => Some((event.processor.processor, (*text)?)),
        _ => None,
    })
}

#[test]
fn the_entry_of_kernels_before_2026() {
    let head = "#include \"compute_kernel_api/common.h\"\n";
    let body = "MATH((DPRINT(\"math\\n\")));";
    for (name, inline) in [("entry", ""), ("inline_entry", "inline ")] {
        let main = format!("{inline}void MAIN {{\n{body}\n}}\n");
        let within = format!("{head}namespace NAMESPACE {{\n{main}}}\n");
        prints(&format!("{name}_within"), &[(compute(), &within)], &["math"]);
        prints(&format!("{name}_alone"), &[(compute(), &format!("{head}{main}"))], &["math"]);
    }
}

#[test]
fn older_names_of_the_compute_side() {
    let kernel = r#"
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#define REDUCE_OP PoolType::SUM
#define REDUCE_DIM ReduceDim::REDUCE_ROW
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/tilize.h"
namespace NAMESPACE {
void MAIN {
    constexpr auto in = tt::CB::c_in0, out = tt::CB::c_out0;
    unary_op_init_common(in);
    binary_op_init_common(in, in);
    binary_op_specific_init<true, ELWADD>();
    binary_tiles_init<true, ELWMUL>(in, in);
    add_tiles_init();
    mm_init();
    mm_init_short(in, in, 0);
    copy_tile_init();
    copy_tile_to_dst_init_short();
    tilize_init_short(in, 1);
    tilize_uninit(in);
    unpack_reconfig_data_format(in, in);
    reduce_init<true>(in, in, out);
    reduce_init_delta<false>();
    reduce_revert_delta();
    reduce_uninit<false>();
    acquire_dst(tt::DstMode::Half);
    release_dst(tt::DstMode::Half);
    MATH((DPRINT("{} {}\n", static_cast<uint32_t>(in), static_cast<uint32_t>(out))));
}
}
"#;
    prints("older_names", &[(compute(), kernel)], &["0 16"]);
}

/// What is printed by one processor alone is a text with values, or in the older form statements.
#[test]
fn one_processor_prints_texts_and_statements() {
    let kernel = r#"
#include "api/compute/common.h"
#include "api/debug/dprint.h"
void kernel_main() {
    DPRINT_MATH("math {}\n", 1);
    DPRINT_MATH("no \"values\" {{}}" " here\n");
    DPRINT_MATH(DPRINT << "older " << 2 << ENDL());
    DPRINT_MATH({
        DPRINT << "a block" << ENDL();
        DPRINT << HEX() << 31 << ENDL();
    });
    if (true) DPRINT_PACK(DPRINT << "not math" << ENDL()); else DPRINT_MATH("never\n");
}
"#;
    let Some((outcome, log)) = run("one_processor", &[(compute(), kernel)]) else { return };
    completed(&outcome);
    let by = |processor| {
        let said = printed(&log).filter(|(by, _)| *by == processor);
        said.map(|(_, text)| text).collect::<Vec<&str>>()
    };
    let math = ["math 1", "no \"values\" {} here", "older 2", "a block", "1f"];
    assert_eq!(by(Processor::Math), math);
    assert_eq!(by(Processor::Pack), ["not math"]);
    assert!(by(Processor::Unpack).is_empty());
}

/// Tilizes a tile of fp32 with a few words by `calls`, and prints the words.
fn tilized(name: &str, width: DstWidth, calls: &str, expected: &[&str]) {
    let reader = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(2, 1);
    auto* rows = reinterpret_cast<volatile uint32_t*>(get_write_ptr(2));
    for (uint32_t place = 0; place < 1024; ++place) {
        rows[place] = 0;
    }
    rows[0] = 0xbf8fffff;
    rows[1] = 0x80000001;
    rows[2] = 0x7fc12345;
    rows[17 * 32 + 18] = 0x40490fdb;
    cb_push_back(2, 1);
}
"#;
    let compute = format!(
        r#"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tilize.h"
void kernel_main() {{
    compute_kernel_hw_startup(2, 17);
    cb_wait_front(2, 1);
    cb_reserve_back(17, 1);
    {calls}
    cb_push_back(17, 1);
    cb_pop_front(2, 1);
}}
"#
    );
    let writer = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_wait_front(17, 1);
    auto* tile = reinterpret_cast<volatile uint32_t*>(get_read_ptr(17));
    for (uint32_t place : {0, 1, 2, 3 * 256 + 16 + 2}) {
        DPRINT("{:x}\n", tile[place]);
    }
    cb_pop_front(17, 1);
}
"#;
    let mut config = ComputeConfig::default();
    config.settings.width = width;
    let kernels = [(READER, reader), (CppRole::Compute(config), &*compute), (WRITER, writer)];
    prints(name, &kernels, expected);
}

/// The faster form moves what the unpacker makes of fp32 (tt-isa-documentation, MOVA2D): Tf32 for a
/// 32-bit Dst, where the slower one adds zero and makes infinity of NaN; bf16 for a 16-bit one,
/// where the packer makes infinity of it.
#[test]
fn fast_tilize_moves_fp32_as_the_sources_hold_it() {
    let slow = "tilize_init(2, 1, 17); tilize_block(2, 1, 17); tilize_uninit(2, 17);";
    let fast = &slow.replace("tilize", "fast_tilize");
    let wide = ["bf8fe000", "0", "7fc12000", "40490000"];
    tilized("fast_wide", DstWidth::Bits32, fast, &wide);
    tilized("slow_wide", DstWidth::Bits32, slow, &["bf8fe000", "0", "7f800000", "40490000"]);
    tilized("fast_narrow", DstWidth::Bits16, fast, &["bf8f0000", "0", "7f800000", "40490000"]);
}

/// A copy transposes the order of faces, and the values within each, by an argument for each. Every
/// value is its own place in face order; those that are printed are of faces 1 and 2.
#[test]
fn faces_and_what_is_in_them_are_transposed_apart() {
    let reader = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 1);
    auto* tile = reinterpret_cast<volatile uint16_t*>(get_write_ptr(0));
    for (uint32_t place = 0; place < 1024; ++place) {
        tile[place] = 0x4000 + place;
    }
    cb_push_back(0, 1);
}
"#;
    let compute = r#"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 4);
    for (uint32_t how = 0; how < 4; ++how) {
        copy_tile_to_dst_init_short(0, how & 1, how >> 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
    }
    cb_push_back(16, 4);
    cb_pop_front(0, 1);
}
"#;
    let writer = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_wait_front(16, 4);
    for (uint32_t how = 0; how < 4; ++how) {
        auto* tile = reinterpret_cast<volatile uint16_t*>(get_read_ptr(16) + how * 2048);
        auto at = [&](uint32_t place) { return tile[place] - 0x4000; };
        DPRINT("{} {} {}\n", at(256 + 33), at(512 + 18), at(512 + 33));
    }
    cb_pop_front(16, 4);
}
"#;
    let kernels =
        [(READER, reader), (CppRole::Compute(ComputeConfig::default()), compute), (WRITER, writer)];
    prints("transposes", &kernels, &["289 530 545", "545 274 289", "274 545 530", "530 289 274"]);
}

/// Kernels that call the parts of start-up themselves, before everything else and again in their
/// middle, for buffers of another format.
#[test]
fn start_up_may_be_called_in_its_parts() {
    let reader = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 1);
    cb_reserve_back(2, 1);
    auto* tile = reinterpret_cast<volatile uint16_t*>(get_write_ptr(0));
    auto* wide = reinterpret_cast<volatile uint32_t*>(get_write_ptr(2));
    for (uint32_t place = 0; place < 1024; ++place) {
        tile[place] = 0x4000 + place;
        wide[place] = (0x4000 + place) << 16;
    }
    cb_push_back(0, 1);
    cb_push_back(2, 1);
}
"#;
    let compute = r#"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
void copy(uint32_t from, uint32_t to) {
    UNPACK((llk_unpack_hw_configure<DST_ACCUM_MODE>(from, from)));
    MATH((llk_math_pack_sync_init<DST_ACCUM_MODE>()));
    MATH((llk_math_hw_configure<DST_ACCUM_MODE>(from, from)));
    PACK((llk_pack_hw_configure<DST_ACCUM_MODE>(to)));
    PACK((llk_pack_init(to)));
    PACK((llk_pack_dest_init<DST_ACCUM_MODE, false>(to)));
    copy_tile_init(from);
    cb_wait_front(from, 1);
    tile_regs_acquire();
    copy_tile(from, 0, 0);
    tile_regs_commit();
    cb_reserve_back(to, 1);
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
    cb_push_back(to, 1);
    cb_pop_front(from, 1);
}
void kernel_main() {
    copy(0, 17);
    copy(2, 16);
}
"#;
    let writer = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_wait_front(17, 1);
    cb_wait_front(16, 1);
    auto* wide = reinterpret_cast<volatile uint32_t*>(get_read_ptr(17));
    auto* tile = reinterpret_cast<volatile uint16_t*>(get_read_ptr(16));
    DPRINT("{:x} {:x}\n", wide[1000], tile[1000]);
    cb_pop_front(17, 1);
    cb_pop_front(16, 1);
}
"#;
    let kernels =
        [(READER, reader), (CppRole::Compute(ComputeConfig::default()), compute), (WRITER, writer)];
    prints("parts_of_startup", &kernels, &["43e80000 43e8"]);
}

/// fp32 that is unpacked straight to Dst never passes a source register: products of it are garbage
/// on the device, and refused here.
#[test]
fn an_operand_cannot_go_straight_to_dst() {
    let reader = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(2, 1);
    cb_push_back(2, 1);
}
"#;
    let compute = |calls: &str| {
        format!(
            r#"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/tilize.h"
void kernel_main() {{
    compute_kernel_hw_startup(2, 2, 17);
    cb_wait_front(2, 1);
    cb_reserve_back(17, 1);
    {calls}
}}
"#
        )
    };
    let product = "mul_tiles_init(2, 2); tile_regs_acquire(); mul_tiles(2, 2, 0, 0, 0);";
    let tilized = "fast_tilize_init(2, 1, 17); fast_tilize_block(2, 1, 17);";
    let mut config = ComputeConfig::default();
    config.settings.width = DstWidth::Bits32;
    let cases = [(product, None), (product, Some(2)), (tilized, None), (tilized, Some(2))];
    for (calls, straight) in cases {
        let is_refused = straight.is_some();
        config.unpack_to_dst = straight.into_iter().collect();
        let compute = compute(calls);
        let kernels = [(READER, reader), (CppRole::Compute(config.clone()), &*compute)];
        let Some((outcome, _)) = run("straight", &kernels) else { return };
        match &outcome.ending {
            Ending::Stopped(stops) => {
                assert!(is_refused, "{stops:?}");
                let StopReason::NotModelled(what) = &stops[0].reason else { panic!("{stops:?}") };
                assert!(what.contains("UnpackToDestFp32"), "{what}");
            }
            other => assert!(!is_refused, "{other:?}"),
        }
    }
}

/// A reader fills four pages and pushes them; a writer sets its read pointer back to the third.
const FOUR_PAGES: &str = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 4);
    for (uint32_t page = 0; page < 4; ++page) {
        *reinterpret_cast<volatile uint32_t*>(get_write_ptr(0) + page * 2048) = page;
    }
    cb_push_back(0, 4);
}
"#;

#[test]
fn a_pointer_set_by_hand_is_where_the_processor_goes_on() {
    let writer = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_wait_front(0, 4);
    LocalCBInterface& ring = get_local_cb_interface(0);
    const uint32_t start = ring.fifo_rd_ptr;
    cb_pop_front(0, 3);
    ring.fifo_rd_ptr -= ring.fifo_page_size;
    DPRINT("{}\n", *reinterpret_cast<volatile uint32_t*>(get_read_ptr(0)));
    ring.fifo_rd_ptr = start + 3 * ring.fifo_page_size;
    DPRINT("{}\n", *reinterpret_cast<volatile uint32_t*>(get_read_ptr(0)));
    cb_pop_front(0, 1);
    DPRINT("{}\n", get_read_ptr(0) == start);
}
"#;
    let kernels = [(READER, FOUR_PAGES), (WRITER, writer)];
    prints("ring_by_hand", &kernels, &["2", "3", "true"]);
    let Some((_, log)) = run("ring_by_hand", &kernels) else { return };
    let moved = |kind: &EventKind| match kind {
        EventKind::PointerMoved { pointer, .. } => Some(*pointer),
        _ => None,
    };
    let moved: Vec<RingPointer> = log.0.iter().filter_map(|it| moved(&it.kind)).collect();
    assert_eq!(moved, [RingPointer::Read; 2]);
}

#[test]
fn brisc_writes_to_mailboxes_of_compute() {
    let writer = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    ckernel::mailbox_write(ckernel::ThreadId::MathThreadId, 41);
    ckernel::mailbox_write(ckernel::ThreadId::PackThreadId, 42);
}
"#;
    let reads = r#"
#include "api/compute/common.h"
void kernel_main() {
    PACK((DPRINT("{}\n", mailbox_read(ckernel::ThreadId::BriscThreadId))));
    MATH((riscv_wait(4000)));
    MATH((DPRINT("{}\n", mailbox_read(ckernel::ThreadId::BriscThreadId))));
}
"#;
    prints("mailbox_of_brisc", &[(WRITER, writer), (compute(), reads)], &["42", "41"]);
}

#[test]
fn the_wall_clock_is_read_through_a_pointer() {
    let reader = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    auto* low = reinterpret_cast<volatile uint32_t*>(RISCV_DEBUG_REG_WALL_CLOCK_L);
    auto* high = reinterpret_cast<volatile uint32_t*>(RISCV_DEBUG_REG_WALL_CLOCK_H);
    const uint32_t start = *low;
    uint32_t turns = 0;
    while (*low - start < 1000) {
        ++turns;
    }
    DPRINT("{} {}\n", turns > 0, *high);
}
"#;
    prints("wall_clock", &[(READER, reader)], &["true 0"]);
}

#[test]
fn what_newer_compilers_take_is_taken() {
    let reader = r#"
#include <algorithm>
#include "api/dataflow/dataflow_api.h"
template <int Width>
uint32_t sum() {
    if constexpr (Width > 4) {
        static_assert(false, "too wide");
    }
    uint32_t all = 0;
#pragma GCC unroll(Width)
    for (uint32_t i = 0; i < Width; ++i) {
        all += i;
    }
    return std::min(all, sizeof(uint16_t));
}
void kernel_main() { DPRINT("{}\n", sum<3>()); }
"#;
    prints("newer_compilers", &[(READER, reader)], &["2"]);
    let wide = reader.replace("sum<3>", "sum<5>");
    let Some((_, made)) = compiled("too_wide", &[(READER, &wide)]) else { return };
    let said = made.err().expect("the assertion fails").to_string();
    assert!(said.contains("too_wide_0.cpp:7:"), "{said}");
    assert!(said.contains("too wide"), "{said}");
}

/// Headers of tt-metal's tree name the unit's types and do not include them: those of the compute
/// side have done that before.
#[test]
fn names_of_vector_code_are_there_without_their_header() {
    let kernel = "#include \"api/compute/common.h\"
#ifdef TRISC_MATH
#include \"ckernel_defs.h\"
using namespace sfpi;
inline void negated() { dst_reg[0] = -dst_reg[0]; }
#endif
void kernel_main() {}
";
    run("vector_names", &[(compute(), kernel)]);
}

#[test]
fn an_instruction_is_refused_where_it_is_executed() {
    let kernel = r#"
#include "api/compute/common.h"
void kernel_main() {
    if (get_arg_val<uint32_t>(0) == ARGUMENT) {
        MATH((TTI_MOVB2D(0, 0, 0, p_movb2d::MOV_1_ROW, 0)));
    }
    MATH((TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::WAIT_SFPU)));
    MATH((DPRINT("done\n")));
}
"#;
    let with = |argument: &str| {
        let kernel = kernel.replace("get_arg_val<uint32_t>(0)", "tw_calls->core()");
        kernel.replace("ARGUMENT", argument)
    };
    prints("held", &[(compute(), &with("9"))], &["done"]);
    let Some((outcome, _)) = run("executed", &[(compute(), &with("0"))]) else { return };
    let stop = the_stop(&outcome);
    assert_eq!(stop.reason, StopReason::NotModelled("the instruction MOVB2D".to_owned()));
    assert_eq!(stop.site.line, 5, "{}", stop.site);
}

#[test]
fn an_error_inside_our_headers_is_told_at_the_kernels_line() {
    let reader = r#"
#include "api/dataflow/dataflow_api.h"
struct Wide { uint64_t both; };
void kernel_main() {
    get_arg_val<Wide>(0);
}
"#;
    let Some((_, made)) = compiled("wide_argument", &[(READER, reader)]) else { return };
    let said = made.err().expect("an argument has four bytes").to_string();
    assert!(said.contains("wide_argument_0.cpp:5:"), "{said}");
    assert!(!said.contains("shim/"), "{said}");
}
