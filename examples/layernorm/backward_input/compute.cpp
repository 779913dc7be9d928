// dx = rstd·(dy·γ - mean(dy·γ) - x̂·mean(dy·γ·x̂)): one pass over the row for the two means, one for dx.

#include <algorithm>
#include <cstdint>

#include "row.h"

// Registers of the sums; the mask must come right after what it masks.
namespace sums {
constexpr uint32_t dy_gamma = 0;
constexpr uint32_t dy_gamma_x_hat = 1;
constexpr uint32_t x_hat = 2;
constexpr uint32_t spare = 3;
constexpr uint32_t product = 4;
constexpr uint32_t mask = 5;
constexpr uint32_t mean = 6;
constexpr uint32_t rstd = 7;
}  // namespace sums

// Registers of the outputs: those of a block, its products, and the row's.
namespace outputs {
constexpr uint32_t products = dx_block_tiles;
constexpr uint32_t spare = 2 * dx_block_tiles;
constexpr uint32_t rstd = 2 * dx_block_tiles + 1;
}  // namespace outputs

struct Backward {
    uint32_t row_tiles;
    uint32_t features;
    bool keeps_row;
    uint32_t reciprocal_bits;

    bool is_masked() const { return features < 32 * row_tiles; }

    // The elementwise sums of the row's tiles of dy·γ and dy·γ·x̂, split for the matrix unit.
    void add_up() const {
        tile_regs_acquire();
        zero_all(sums::dy_gamma, 2);
        load_columns(cb_mean, cb_rstd, sums::mean);
        if (is_masked()) {
            load(cb_mask, 0, sums::mask);
        }
        blocks([this](uint32_t first, uint32_t tiles) {
#ifdef FAULT_DROPPED_LAST_TILE
            const uint32_t added = first + tiles == row_tiles ? tiles - 1 : tiles;
#else
            const uint32_t added = tiles;
#endif
            for (uint32_t tile = 0; tile < added; ++tile) {
                add_tile(operand(first) + tile, is_masked() && first + tile + 1 == row_tiles);
            }
        });
        split(sums::dy_gamma, sums::x_hat);
        split(sums::dy_gamma_x_hat, sums::spare);
        tile_regs_commit();
        tile_regs_wait();
        pack_registers({sums::x_hat, sums::dy_gamma, sums::spare, sums::dy_gamma_x_hat}, cb_split);
        tile_regs_release();
    }

    // Both row sums over N, to their buffers.
    void means() const {
        cb_wait_front(cb_split, 4);
        tile_regs_acquire();
        reduce_parts<ReduceDim::REDUCE_ROW>(0, sums::dy_gamma);
        over_features(sums::dy_gamma, reciprocal_bits);
        reduce_parts<ReduceDim::REDUCE_ROW>(2, sums::dy_gamma_x_hat);
        over_features(sums::dy_gamma_x_hat, reciprocal_bits);
        tile_regs_commit();
        cb_pop_front(cb_split, 4);
        tile_regs_wait();
        pack_registers({sums::dy_gamma}, cb_mean_dy_gamma);
        pack_registers({sums::dy_gamma_x_hat}, cb_mean_dy_gamma_x_hat);
        tile_regs_release();
        reduce_uninit();
        cb_wait_front(cb_mean_dy_gamma, 1);
        cb_wait_front(cb_mean_dy_gamma_x_hat, 1);
    }

    // dx in blocks: what is subtracted first, then the products it is subtracted from. The row's
    // columns take turns in one register.
    void make_dx() const {
        blocks([this](uint32_t first, uint32_t tiles) {
            tile_regs_acquire();
            load_columns(cb_mean, cb_rstd, outputs::spare);
            load_tiles(cb_x, operand(first), 0, tiles);
            subtract_from_each(0, tiles, outputs::spare);
            multiply_all(0, tiles, outputs::rstd);
            load_column(cb_mean_dy_gamma_x_hat, outputs::spare);
            multiply_all(0, tiles, outputs::spare);
            load_next_column(cb_mean_dy_gamma, outputs::spare);
            add_to_each(0, tiles, outputs::spare);
            load_times_rows(cb_dy, cb_gamma, operand(first), outputs::products, outputs::spare, tiles);
            sub_binary_tile_init();
            for (uint32_t tile = 0; tile < tiles; ++tile) {
                sub_binary_tile(outputs::products + tile, tile, tile);
            }
            multiply_all(0, tiles, outputs::rstd);
            tile_regs_commit();
            cb_reserve_back(cb_out, dx_block_tiles);
            tile_regs_wait();
            pack_reconfig_data_format(cb_out);
            pack_block(0, cb_out, tiles);
            tile_regs_release();
            cb_push_back(cb_out, dx_block_tiles);
        });
    }

   private:
    void add_tile(uint32_t tile, bool is_last_and_masked) const {
        load(cb_x, tile, sums::x_hat);
        subtract(sums::x_hat, sums::mean, sums::x_hat);
        multiply(sums::x_hat, sums::rstd, sums::x_hat);
        load_times_rows(cb_dy, cb_gamma, tile, sums::product, sums::spare, 1);
        if (is_last_and_masked) {
            mask_with_next(sums::product);
        }
        add(sums::dy_gamma, sums::product, sums::dy_gamma);
        multiply(sums::product, sums::x_hat, sums::product);
        if (is_last_and_masked) {
            mask_with_next(sums::product);
        }
        add(sums::dy_gamma_x_hat, sums::product, sums::dy_gamma_x_hat);
    }

    // Walks over a row in blocks; buffers that do not hold the row are waited for and popped.
    template <typename Each>
    void blocks(Each each) const {
        for (uint32_t first = 0; first < row_tiles; first += dx_block_tiles) {
            if (!keeps_row) {
                for (const uint32_t cb : {cb_x, cb_dy, cb_gamma}) {
                    cb_wait_front(cb, dx_block_tiles);
                }
            }
            each(first, std::min(dx_block_tiles, row_tiles - first));
            if (!keeps_row) {
                for (const uint32_t cb : {cb_x, cb_dy, cb_gamma}) {
                    cb_pop_front(cb, dx_block_tiles);
                }
            }
        }
    }

    uint32_t operand(uint32_t first) const { return keeps_row ? first : 0; }
};

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const Backward backward{
        .row_tiles = get_common_arg_val<uint32_t>(0),
        .features = get_common_arg_val<uint32_t>(1),
        .keeps_row = get_common_arg_val<uint32_t>(2) != 0,
        .reciprocal_bits = get_common_arg_val<uint32_t>(3),
    };
#ifndef FAULT_MISSING_STARTUP
    compute_kernel_hw_startup(cb_x, cb_ones, cb_out);
#endif
    cb_wait_front(cb_ones, 1);
    if (backward.is_masked()) {
        cb_wait_front(cb_mask, 1);
    }
    for (uint32_t row = 0; row < rows; ++row) {
        cb_wait_front(cb_mean, 1);
        cb_wait_front(cb_rstd, 1);
        if (backward.keeps_row) {
            for (const uint32_t cb : {cb_gamma, cb_x, cb_dy}) {
                cb_wait_front(cb, backward.row_tiles);
            }
        }
        backward.add_up();
        backward.means();
        backward.make_dx();
        for (const uint32_t cb : {cb_mean, cb_rstd, cb_mean_dy_gamma, cb_mean_dy_gamma_x_hat}) {
            cb_pop_front(cb, 1);
        }
        if (backward.keeps_row) {
            cb_pop_front(cb_x, backward.row_tiles);
            cb_pop_front(cb_dy, backward.row_tiles);
        }
    }
}
