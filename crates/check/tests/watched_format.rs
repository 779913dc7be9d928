//! What the tool format finds in small programs, drawn for a terminal, and what it leaves alone.

use crate::small::{
    CORES, Computing, Movement, Setup, drain, fill, finds, idle, pack, run, silent, usual,
};
use tilewright_metal::CbSpec;
use tilewright_metal::api::Compute;
use tilewright_tile::DataFormat::Bfloat16;
use tilewright_tile::fpu::Elementwise;

const READER: Movement = |k| {
    fill(k, 0, 1);
    fill(k, 1, 1);
};
const WRITER: Movement = |k| drain(k, 16, 1);

/// Start-up, one page of each input, and a section of Dst.
fn start(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(0, 0, 16);
    k.cb_wait_front(0, 1);
    k.cb_wait_front(1, 1);
    k.tile_regs_acquire();
}

#[test]
fn an_unpacker_set_for_another_format() {
    let compute: Computing = |k| {
        start(k);
        k.copy_tile_init(1);
        k.copy_tile(1, 0, 0);
        pack(k, 16);
    };
    finds(("unpack-format", "unpack-format"), usual, READER, compute, WRITER);
    let compute: Computing = |k| {
        start(k);
        k.copy_tile_init(1);
        k.reconfig_data_format_srca(1);
        k.copy_tile(1, 0, 0);
        pack(k, 16);
    };
    silent(usual, READER, compute, WRITER);
}

/// Start-up for one buffer serves any other of its format.
#[test]
fn a_buffer_of_the_same_format_needs_no_reconfiguration() {
    let setup: Setup = |builder| {
        usual(builder);
        builder.circular_buffer(CORES, CbSpec::tiles(2, "cb_too", Bfloat16, 2));
    };
    let compute: Computing = |k| {
        start(k);
        k.cb_wait_front(2, 1);
        k.add_init(0, 2);
        k.add_tiles(0, 2, 0, 0, 0);
        pack(k, 16);
    };
    let reader: Movement = |k| {
        READER(k);
        fill(k, 2, 1);
    };
    silent(setup, reader, compute, WRITER);
}

/// A matmul has its first operand in SrcB.
fn product(k: &Compute<'_>) {
    k.matmul_init(1, 0, false);
    k.matmul_tiles(1, 0, 0, 0, 0);
    pack(k, 16);
}

#[test]
fn a_matrix_unit_set_for_the_sources_the_wrong_way_round() {
    let compute: Computing = |k| {
        start(k);
        k.reconfig_data_format(0, 1);
        k.reconfig_alu_data_format(1, 0);
        product(k);
    };
    finds(("alu-format", "alu-format"), usual, READER, compute, WRITER);
    let right: Computing = |k| {
        start(k);
        k.reconfig_data_format(0, 1);
        product(k);
    };
    silent(usual, READER, right, WRITER);
}

/// The matrix unit finds zeros where a narrow value has no bits.
#[test]
fn narrow_values_may_be_read_as_wide_ones() {
    let compute: Computing = |k| {
        start(k);
        k.reconfig_data_format(0, 1);
        k.reconfig_alu_data_format(1, 1);
        product(k);
    };
    silent(usual, READER, compute, WRITER);
}

#[test]
fn packers_set_for_another_format() {
    let compute: Computing = |k| {
        start(k);
        k.copy_tile_init(0);
        k.copy_tile(0, 0, 0);
        pack(k, 17);
    };
    let writer: Movement = |k| drain(k, 17, 1);
    finds(("pack-format", "pack-format"), usual, READER, compute, writer);
    let compute: Computing = |k| {
        start(k);
        k.copy_tile_init(0);
        k.copy_tile(0, 0, 0);
        k.pack_reconfig_data_format(17);
        pack(k, 17);
    };
    silent(usual, READER, compute, writer);
}

#[test]
fn a_sum_that_was_initialised_as_a_product() {
    let compute: Computing = |k| {
        start(k);
        k.mul_init(0, 0);
        k.add_tiles(0, 0, 0, 0, 0);
        pack(k, 16);
    };
    finds(("wrong-init", "wrong-init"), usual, READER, compute, WRITER);
}

/// A call says neither whether a sum accumulates nor whether a product transposes.
#[test]
fn what_a_call_does_not_say_is_not_compared() {
    let compute: Computing = |k| {
        start(k);
        k.binary_tiles_init(Elementwise::Add, true);
        k.add_tiles(0, 0, 0, 0, 0);
        k.matmul_init(0, 0, true);
        k.matmul_tiles(0, 0, 0, 0, 0);
        pack(k, 16);
    };
    silent(usual, READER, compute, WRITER);
}

#[test]
fn a_copy_while_unpack_takes_two_operands() {
    let compute: Computing = |k| {
        start(k);
        k.mul_init(0, 0);
        k.copy_tile(0, 0, 0);
        pack(k, 16);
    };
    finds(("wrong-init-operand", "wrong-init"), usual, READER, compute, WRITER);
}

#[test]
fn a_function_whose_constants_another_one_has_replaced() {
    let compute: Computing = |k| {
        start(k);
        k.copy_tile_init(0);
        k.copy_tile(0, 0, 0);
        k.exp_tile_init();
        k.recip_tile_init();
        k.exp_tile(0);
        pack(k, 16);
    };
    finds(("wrong-init-vector", "wrong-init"), usual, READER, compute, WRITER);
    let compute: Computing = |k| {
        start(k);
        k.copy_tile_init(0);
        k.copy_tile(0, 0, 0);
        k.exp_tile_init();
        k.abs_tile_init();
        k.exp_tile(0);
        k.abs_tile(0);
        pack(k, 16);
    };
    silent(usual, READER, compute, WRITER);
}

/// `cb_sticks` (2) has a page for each stick of a tile.
const STICKS: Setup = |builder| {
    usual(builder);
    builder.circular_buffer(CORES, CbSpec::pages(2, "cb_sticks", Bfloat16, 64, 64));
};

fn sticks(k: &tilewright_metal::api::DataMovement<'_>) {
    push_sticks(k, 32);
}

fn push_sticks(k: &tilewright_metal::api::DataMovement<'_>, count: u32) {
    READER(k);
    k.cb_reserve_back(2, count);
    k.write_l1(k.get_write_ptr(2), 64 * count, |bytes| bytes.fill(0));
    k.cb_push_back(2, count);
}

fn tilize(k: &Compute<'_>, pages: u32) {
    k.compute_kernel_hw_startup(0, 0, 16);
    k.cb_wait_front(0, 1);
    k.cb_wait_front(1, 1);
    k.tilize_init(2, 1, 16);
    k.cb_wait_front(2, pages);
    k.cb_reserve_back(16, 1);
    k.tilize_block(2, 1, 16);
    k.cb_push_back(16, 1);
    k.cb_pop_front(2, pages);
}

/// A tile's worth of sticks is 32 pages; one is waited for. What else is found follows from it.
#[test]
fn a_page_for_each_stick_before_tilize() {
    finds(("page-size", "page-size"), STICKS, sticks, |k| tilize(k, 1), WRITER);
    silent(STICKS, sticks, |k| tilize(k, 32), WRITER);
}

/// The last rows of a tensor are fewer than a tile has: all that come are waited for. Of a whole
/// block, fewer are a mistake.
#[test]
fn a_block_of_few_sticks_before_tilize() {
    silent(STICKS, |k| push_sticks(k, 1), |k| tilize(k, 1), WRITER);
    silent(STICKS, |k| push_sticks(k, 31), |k| tilize(k, 31), WRITER);
    let found = run(STICKS, sticks, |k| tilize(k, 31), WRITER).findings();
    assert_eq!(found[0].id.name(), "page-size", "{found:#?}");
}

#[test]
fn a_page_of_two_tiles_unpacked_as_tiles() {
    let setup: Setup = |builder| {
        usual(builder);
        builder.circular_buffer(CORES, CbSpec::pages(2, "cb_pairs", Bfloat16, 4096, 2));
    };
    let reader: Movement = |k| {
        READER(k);
        k.cb_reserve_back(2, 2);
        k.write_l1(k.get_write_ptr(2), 8192, |bytes| bytes.fill(0));
        k.cb_push_back(2, 2);
    };
    let compute: Computing = |k| {
        start(k);
        k.cb_wait_front(2, 2);
        k.copy_tile_init(2);
        k.copy_tile(2, 1, 0);
        pack(k, 16);
    };
    let found = run(setup, reader, compute, WRITER).findings();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].id.name(), "page-size");
    assert!(
        run(setup, reader, |_| {}, idle).findings().iter().all(|it| it.id.name() != "page-size")
    );
}

/// One tile from `cb_in` to `cb_out`.
fn copy_one(k: &Compute<'_>) {
    k.copy_tile_init(0);
    k.cb_wait_front(0, 1);
    k.tile_regs_acquire();
    k.copy_tile(0, 0, 0);
    k.cb_pop_front(0, 1);
    pack(k, 16);
}

#[test]
fn a_start_up_for_each_tile() {
    let (reader, writer): (Movement, Movement) = (|k| fill(k, 0, 2), |k| drain(k, 16, 2));
    let compute: Computing = |k| {
        for _ in 0..2 {
            k.compute_kernel_hw_startup(0, 0, 16);
            copy_one(k);
        }
    };
    finds(("repeated-startup", "repeated-startup"), usual, reader, compute, writer);
    let compute: Computing = |k| {
        k.compute_kernel_hw_startup(0, 0, 16);
        k.compute_kernel_hw_startup(0, 0, 16);
        for _ in 0..2 {
            k.hw_configure(0, 0, 16);
            copy_one(k);
        }
    };
    silent(usual, reader, compute, writer);
}
