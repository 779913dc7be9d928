// The circular buffers of the LayerNorm kernels; each kernel uses some.

#pragma once

#include <cstdint>

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_gamma = tt::CBIndex::c_1;
constexpr uint32_t cb_beta = tt::CBIndex::c_2;
// The scaler of sums.
constexpr uint32_t cb_ones = tt::CBIndex::c_3;
// 1 where a column of the last tile is a feature, or a row of the last tile-row is one.
constexpr uint32_t cb_mask = tt::CBIndex::c_4;
constexpr uint32_t cb_dy = tt::CBIndex::c_5;
// mean and 1/std, in column 0.
constexpr uint32_t cb_mean = tt::CBIndex::c_6;
constexpr uint32_t cb_rstd = tt::CBIndex::c_7;
// The two parts of a sum, for the matrix unit.
constexpr uint32_t cb_split = tt::CBIndex::c_8;
// The means of dy·γ and of dy·γ·x̂, in column 0.
constexpr uint32_t cb_mean_dy_gamma = tt::CBIndex::c_9;
constexpr uint32_t cb_mean_dy_gamma_x_hat = tt::CBIndex::c_10;
// Partial sums from other cores, and for another core.
constexpr uint32_t cb_partial_in = tt::CBIndex::c_11;
constexpr uint32_t cb_partial_out = tt::CBIndex::c_12;
// Sticks on their way to tilize: x, γ or β.
constexpr uint32_t cb_sticks = tt::CBIndex::c_13;
// A running sum between two sections of Dst.
constexpr uint32_t cb_carry = tt::CBIndex::c_14;
// Zeros: the other term of a broadcast, and what a reader copies.
constexpr uint32_t cb_zeros = tt::CBIndex::c_15;
constexpr uint32_t cb_out = tt::CBIndex::c_16;
constexpr uint32_t cb_mean_out = tt::CBIndex::c_17;
constexpr uint32_t cb_rstd_out = tt::CBIndex::c_18;
constexpr uint32_t cb_dbeta = tt::CBIndex::c_19;

// Tiles of a block. Dst holds eight: two are for what all tiles of a block need.
constexpr uint32_t block_tiles = 6;
// The same for dx, where each tile takes two.
constexpr uint32_t dx_block_tiles = 3;
