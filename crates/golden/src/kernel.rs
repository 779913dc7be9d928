//! The two kernels that perform a script: a reader that pushes pages, and compute.
//!
//! Every operation of the matrix unit is preceded by the data-format reconfiguration for its
//! operands and by its init call, as the golden data was made.

use tilewright_metal::api::{Compute, DataMovement};

use super::calls;
use super::script::{A, B, DstStep, ElementwiseStep, OUT, Packs, Script, Section, Step};

/// The reader: the host has written the pages already.
pub(super) fn read(script: &Script, k: &DataMovement<'_>) {
    for buffer in script.buffers.iter().filter(|buffer| buffer.pushed > 0) {
        k.cb_reserve_back(buffer.id, buffer.pushed);
        k.cb_push_back(buffer.id, buffer.pushed);
    }
}

/// The compute kernel, on each of the three processors.
pub(super) fn compute(script: &Script, k: &Compute<'_>) {
    k.compute_kernel_hw_startup(A, if script.has(B) { B } else { A }, OUT);
    k.pack_relu_config(script.relu);
    k.pack_reconfig_l1_acc(script.accumulate_in_l1);
    for buffer in script.buffers.iter().filter(|buffer| buffer.pushed > 0) {
        k.cb_wait_front(buffer.id, buffer.pushed);
    }
    for section in &script.sections {
        match section {
            Section::Dst { steps, packs } => on_dst(k, steps, packs),
            Section::Tilize { tiles } => tilize(k, *tiles),
            Section::Untilize { tiles } => untilize(k, *tiles),
        }
    }
}

fn on_dst(k: &Compute<'_>, steps: &[Step], packs: &[Packs]) {
    k.tile_regs_acquire();
    steps.iter().for_each(|step| perform(k, step));
    k.tile_regs_commit();
    k.tile_regs_wait();
    for Packs { to, tiles } in packs {
        k.pack_reconfig_data_format(*to);
        k.cb_reserve_back(*to, tiles.len() as u32);
        tiles.iter().for_each(|dst| k.pack_tile(*dst, *to));
        k.cb_push_back(*to, tiles.len() as u32);
    }
    k.tile_regs_release();
    if steps.iter().any(|step| matches!(step, Step::Reduce { .. })) {
        k.reduce_uninit();
    }
}

fn tilize(k: &Compute<'_>, tiles: u32) {
    k.tilize_init(A, tiles, OUT);
    k.cb_reserve_back(OUT, tiles);
    k.tilize_block(A, tiles, OUT);
    k.cb_push_back(OUT, tiles);
    k.tilize_uninit(A, OUT);
}

fn untilize(k: &Compute<'_>, tiles: u32) {
    k.pack_untilize_init(tiles, tiles, A, OUT);
    k.cb_reserve_back(OUT, tiles);
    k.pack_untilize_block(tiles, A, OUT, 0);
    k.cb_push_back(OUT, tiles);
    k.pack_untilize_uninit(OUT);
}

fn perform(k: &Compute<'_>, step: &Step) {
    match *step {
        Step::Wait { cb, pages } => k.cb_wait_front(cb, pages),
        Step::Copy { from, dst, reconfigure } => {
            if reconfigure {
                k.reconfig_data_format_srca(from.cb);
            }
            k.copy_tile_init(from.cb);
            k.copy_tile(from.cb, from.tile, dst);
        }
        Step::Transpose { from, dst } => {
            k.reconfig_data_format_srca(from.cb);
            k.transpose_init(from.cb);
            k.transpose_tile(from.cb, from.tile, dst);
        }
        Step::Broadcast { broadcast, from, dst } => {
            k.reconfig_data_format(from.cb, from.cb);
            k.unary_bcast_init(broadcast, from.cb);
            k.unary_bcast(broadcast, from.cb, from.tile, dst);
        }
        Step::Elementwise(step) => elementwise(k, step),
        Step::Reuse { op, dest_to, from, dst } => {
            k.reconfig_data_format(from.cb, from.cb);
            k.binary_reuse_dest_init(op, dest_to);
            k.binary_reuse_dest_tiles(op, dest_to, from.cb, from.tile, dst);
        }
        Step::Matmul { in0, in1, transpose, dst } => {
            k.reconfig_data_format(in1.cb, in0.cb);
            k.matmul_init(in0.cb, in1.cb, transpose);
            k.matmul_tiles(in0.cb, in1.cb, in0.tile, in1.tile, dst);
        }
        Step::Reduce { pool, dim, data, scaler, dst } => {
            k.reconfig_data_format_reduce(pool, dim, data.cb, scaler.cb);
            k.reduce_init(pool, dim, data.cb, scaler.cb, OUT);
            k.reduce_tile(pool, dim, (data.cb, data.tile), (scaler.cb, scaler.tile), dst);
        }
        Step::OnDst(ref step) => perform_on_dst(k, step),
    }
}

/// Operations that need no buffer.
fn perform_on_dst(k: &Compute<'_>, step: &DstStep) {
    use tilewright_tile::sfpu::Mask::{PositiveInfinity, Zero};
    match *step {
        DstStep::Unary { op, dst } => {
            k.unary_tile_init(op);
            k.unary_tile(op, dst);
        }
        DstStep::Binary { op, x, y, out } => {
            k.binary_tile_init(op);
            k.binary_tile(op, x, y, out);
        }
        DstStep::Function { function, ref tiles, out, ref scalars } => {
            k.function_tile_init(function);
            k.function_tile(function, tiles, out, scalars);
        }
        DstStep::Mask { mask, dst } => {
            k.mask_tile_init();
            match mask {
                Zero => k.mask_tile(dst, dst + 1),
                PositiveInfinity => k.mask_posinf_tile(dst, dst + 1),
            }
        }
        DstStep::CopyDstValues { from, to } => {
            k.copy_dest_values_init();
            k.copy_dest_values(from, to);
        }
        DstStep::TransposeDst { dst } => {
            k.transpose_dest_init();
            k.transpose_dest(dst);
        }
    }
}

fn elementwise(k: &Compute<'_>, step: ElementwiseStep) {
    let ElementwiseStep { op, broadcast, accumulate, a, b, dst, reconfigure } = step;
    if reconfigure {
        k.reconfig_data_format(a.cb, b.cb);
    }
    let (init, tiles) = calls::two_buffers(op, broadcast);
    if accumulate {
        k.binary_tiles_init(op, true);
    } else {
        init(k, a.cb, b.cb);
    }
    tiles(k, a.cb, b.cb, a.tile, b.tile, dst);
}
