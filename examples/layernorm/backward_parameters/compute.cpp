// dγ = Σ dy·x̂ and dβ = Σ dy over rows: tiles are added up in Dst, the 32 rows of the sum last.

#include <cstdint>

#include "pairs.h"
#include "row.h"

// Registers: the sums of a pair's columns, dγ then dβ, and what a row needs. The mask must come
// right after what it masks.
constexpr uint32_t dgamma_register = 0;
constexpr uint32_t dbeta_register = pair_tiles;
constexpr uint32_t mean_register = 2 * pair_tiles;
constexpr uint32_t rstd_register = 2 * pair_tiles + 1;
constexpr uint32_t dy_register = 2 * pair_tiles + 2;
constexpr uint32_t spare_register = 2 * pair_tiles + 3;

// Zeroes what lies below the last row, whatever the tensors hold there.
void mask_rows() {
    load(cb_mask, 0, spare_register);
    mask_with_next(dy_register);
}

void add_tile(uint32_t tile, bool is_masked) {
    load(cb_dy, tile, dy_register);
    if (is_masked) {
        mask_rows();
    }
    add(dbeta_register + tile, dy_register, dbeta_register + tile);
    load(cb_x, tile, spare_register);
    subtract(spare_register, mean_register, spare_register);
    multiply(spare_register, rstd_register, spare_register);
    multiply(spare_register, dy_register, dy_register);
    if (is_masked) {
        mask_rows();
    }
    add(dgamma_register + tile, dy_register, dgamma_register + tile);
}

// Adds this core's rows up, elementwise.
void add_rows(const Rows& host, const Share& share, uint32_t tiles) {
    zero_all(0, 2 * pair_tiles);
    for (uint32_t row = share.first_row; row < share.first_row + share.rows; ++row) {
        cb_wait_front(cb_mean, 1);
        cb_wait_front(cb_rstd, 1);
        cb_wait_front(cb_x, pair_tiles);
        cb_wait_front(cb_dy, pair_tiles);
        load_columns(cb_mean, cb_rstd, mean_register);
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            add_tile(tile, host.is_masked(row));
        }
        cb_pop_front(cb_mean, 1);
        cb_pop_front(cb_rstd, 1);
        cb_pop_front(cb_x, pair_tiles);
        cb_pop_front(cb_dy, pair_tiles);
    }
}

// Hands the sums to the writer, for the core that adds the parts up.
void give_part() {
    tile_regs_commit();
    tile_regs_wait();
    pack_registers({dgamma_register, dgamma_register + 1, dbeta_register, dbeta_register + 1}, cb_partial_out);
    tile_regs_release();
}

// Adds the other cores' parts, in the order of their rows.
void add_parts(uint32_t parts) {
    cb_wait_front(cb_partial_in, parts);
    for (uint32_t part = 0; part < parts; ++part) {
        load(cb_partial_in, part, spare_register);
        add(part % (2 * pair_tiles), spare_register, part % (2 * pair_tiles));
    }
    cb_pop_front(cb_partial_in, parts);
}

// Splits the sums for the matrix unit; the registers that rows needed are free now.
void split_sums() {
    constexpr uint32_t high = 2 * pair_tiles;
    for (uint32_t sum = 0; sum < 2 * pair_tiles; ++sum) {
        split(sum, high + sum);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_registers({high, 0, high + 1, 1, high + 2, 2, high + 3, 3}, cb_split);
    tile_regs_release();
}

// Adds up the 32 rows of each sum and packs row 0.
void reduce_sums() {
    cb_wait_front(cb_split, 4 * pair_tiles);
    tile_regs_acquire();
    for (uint32_t sum = 0; sum < 2 * pair_tiles; ++sum) {
        reduce_parts<ReduceDim::REDUCE_COL>(2 * sum, sum);
    }
    tile_regs_commit();
    cb_pop_front(cb_split, 4 * pair_tiles);
    tile_regs_wait();
    pack_registers({dgamma_register, dgamma_register + 1}, cb_out);
    pack_registers({dbeta_register, dbeta_register + 1}, cb_dbeta);
    tile_regs_release();
    reduce_uninit();
}

void kernel_main() {
    const Rows host = rows_of_host();
    const Share share = share_from(0);
#ifndef FAULT_MISSING_STARTUP
    compute_kernel_hw_startup(cb_x, cb_ones, cb_out);
#endif
    cb_wait_front(cb_ones, 1);
    if (host.has_mask()) {
        cb_wait_front(cb_mask, 1);
    }
    for (uint32_t pair = share.first_pair; pair < share.first_pair + share.pairs; ++pair) {
        tile_regs_acquire();
        add_rows(host, share, host.tiles_of(pair));
        if (share.place > 0) {
            give_part();
            return;
        }
        if (host.sharers > 1) {
            add_parts(host.parts());
        }
        split_sums();
        reduce_sums();
    }
}
