// mean, 1/std and y of a tile-row: two passes over the row for the statistics, a third for y.
//
// Where blocks are made of sticks as they are needed, that takes Dst, so that a sum must leave it: a
// section that another one interrupts loses what it holds.

#pragma once

#include <cstdint>
#include <initializer_list>

#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "row.h"

// What the host tells all cores, not at compile time: one object serves all shapes.
struct Plan {
    uint32_t row_tiles;
    uint32_t features;
    bool keeps_row;
    uint32_t reciprocal_bits;
    uint32_t epsilon_bits;
    bool writes_statistics;
    bool is_row_major;

    bool is_masked() const { return features < 32 * row_tiles; }
    bool tilizes_blocks() const { return is_row_major && !keeps_row; }
};

// Registers of the sums, after those of a block. The mask must follow the tile it masks, which is
// the row's last: after a whole block it takes the place of the mean, which has been used then.
constexpr uint32_t mean_register = block_tiles;
constexpr uint32_t sum_register = block_tiles + 1;
// Registers of the outputs, after those of a block: mean and 1/std, then some of γ or β.
constexpr uint32_t out_mean_register = block_tiles;
constexpr uint32_t out_rstd_register = block_tiles + 1;
constexpr uint32_t rows_register = block_tiles;
constexpr uint32_t row_registers = 2;

// `make_tiles(tiles, to)` fills a buffer with the next block, where blocks are tilized.
template <typename MakeTiles>
struct Forward {
    Plan plan;
    MakeTiles make_tiles;

    // mean, then 1/std, to their buffers.
    void statistics() const {
        sum([] {}, [](uint32_t) {});
        finish(cb_mean, cb_mean_out, [](uint32_t) {});
        cb_wait_front(cb_mean, 1);
        const auto load_mean = [] { load_column(cb_mean, mean_register); };
        sum(load_mean, [](uint32_t tiles) {
            subtract_from_each(0, tiles, mean_register);
            square_tile_init();
            for (uint32_t tile = 0; tile < tiles; ++tile) {
                square_tile(tile);
            }
        });
        finish(cb_rstd, cb_rstd_out, [this](uint32_t variance) {
            binop_with_scalar_tile_init();
            add_unary_tile(variance, plan.epsilon_bits);
            rsqrt_tile_init();
            rsqrt_tile(variance);
        });
        cb_wait_front(cb_rstd, 1);
    }

    // y in blocks; `emit` packs a block whose tiles are in the first registers.
    template <typename Emit>
    void outputs(Emit emit) const {
        blocks({cb_x, cb_gamma, cb_beta}, [this, emit](uint32_t first, uint32_t tiles) {
            const uint32_t operand = plan.keeps_row ? first : 0;
            tile_regs_acquire();
            load_columns(cb_mean, cb_rstd, out_mean_register);
            load_tiles(cb_x, operand, 0, tiles);
            subtract_from_each(0, tiles, out_mean_register);
            multiply_all(0, tiles, out_rstd_register);
            multiply_by_rows(cb_gamma, operand, tiles, rows_register, row_registers);
            add_rows(cb_beta, operand, tiles, rows_register, row_registers);
            tile_regs_commit();
            tile_regs_wait();
            emit(tiles);
            tile_regs_release();
        });
    }

   private:
    // The elementwise sum of a row's tiles, each changed by `change` in the first registers, split for
    // the matrix unit.
    template <typename Prepare, typename Change>
    void sum(Prepare prepare, Change change) const {
        const bool is_cut = plan.tilizes_blocks();
        if (!is_cut) {
            begin_sum(0, prepare);
        }
        blocks({cb_x}, [this, is_cut, prepare, change](uint32_t first, uint32_t tiles) {
            const bool is_last = first + tiles == plan.row_tiles;
            if (is_cut) {
                begin_sum(first, prepare);
            }
            load_tiles(cb_x, plan.keeps_row ? first : 0, 0, tiles);
            change(tiles);
            if (plan.is_masked() && is_last) {
                load(cb_mask, 0, tiles);
                mask_with_next(tiles - 1);
            }
#ifdef FAULT_DROPPED_LAST_TILE
            add_all(sum_register, 0, is_last ? tiles - 1 : tiles);
#else
            add_all(sum_register, 0, tiles);
#endif
            if (is_cut && !is_last) {
                carry_sum();
            }
        });
        split(sum_register, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_registers({0, sum_register}, cb_split);
        tile_regs_release();
    }

    // Acquires Dst for a sum, or for the next block of one.
    template <typename Prepare>
    void begin_sum(uint32_t first, Prepare prepare) const {
        tile_regs_acquire();
        if (first == 0) {
            zero(sum_register);
        } else {
            cb_wait_front(cb_carry, 1);
            load(cb_carry, 0, sum_register);
            cb_pop_front(cb_carry, 1);
        }
        prepare();
    }

    // Puts a sum aside. Float32 goes from Dst to L1 and back unchanged.
    void carry_sum() const {
        tile_regs_commit();
        tile_regs_wait();
        pack_registers({sum_register}, cb_carry);
        tile_regs_release();
    }

    // The row sum over N, changed by `change`, to a buffer and to an output.
    template <typename Change>
    void finish(uint32_t to, uint32_t output, Change change) const {
        cb_wait_front(cb_split, 2);
        tile_regs_acquire();
        reduce_parts<ReduceDim::REDUCE_ROW>(0, sum_register);
        over_features(sum_register, plan.reciprocal_bits);
        change(sum_register);
        tile_regs_commit();
        cb_pop_front(cb_split, 2);
        tile_regs_wait();
        pack_registers({sum_register}, to);
        if (plan.writes_statistics) {
            pack_registers({sum_register}, output);
        }
        tile_regs_release();
        reduce_uninit();
    }

    // Walks over a row in blocks; buffers that do not hold the row are waited for and popped.
    template <typename Each>
    void blocks(std::initializer_list<uint32_t> streamed, Each each) const {
        for (uint32_t first = 0; first < plan.row_tiles; first += block_tiles) {
            const uint32_t left = plan.row_tiles - first;
            const uint32_t tiles = left < block_tiles ? left : block_tiles;
            if (plan.tilizes_blocks()) {
                for (const uint32_t cb : streamed) {
                    make_tiles(tiles, cb);
                }
            }
            if (!plan.keeps_row) {
                for (const uint32_t cb : streamed) {
                    cb_wait_front(cb, block_tiles);
                }
            }
            each(first, tiles);
            if (!plan.keeps_row) {
                for (const uint32_t cb : streamed) {
                    cb_pop_front(cb, block_tiles);
                }
            }
        }
    }
};
