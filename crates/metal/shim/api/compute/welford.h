// Welford's running mean and variance of each column, by rows of tiles.

#pragma once

#include <array>
#include <bit>

#include "internal/sfpu.h"

namespace ckernel {

enum class WelfordInitMode : uint8_t { ClearStats, PreserveStats };

ALWI void welford_clear() { tw::function<0, TW_HASH("welford_clear")>(0); }

template <WelfordInitMode mode = WelfordInitMode::ClearStats>
ALWI void welford_init() {
    tw::function_init<TW_HASH("welford_update")>();
    if constexpr (mode == WelfordInitMode::ClearStats) {
        welford_clear();
    }
}
ALWI void welford_reinit([[maybe_unused]] uint32_t cb) {
    tw::configure(tw::unpack_one, tw::math_copy);
    tw::function_init<TW_HASH("welford_update")>();
}

// The reciprocal of the number of values up to one that has an index: from the table, or computed.
template <std::size_t entries>
ALWI uint32_t tw_reciprocal(uint32_t index, [[maybe_unused]] const std::array<uint32_t, entries>& table) {
    if constexpr (entries > 0) {
        return table[index];
    } else {
        return std::bit_cast<uint32_t>(1.0f / static_cast<float>(index + 1));
    }
}

template <std::size_t entries>
ALWI void welford_update_rows(
    uint32_t dst,
    uint32_t start,
    uint32_t start_row,
    uint32_t num_rows,
    const std::array<uint32_t, entries>& table) {
    uint32_t words[34] = {start_row, num_rows};
    for (uint32_t row = 0; row < num_rows && row < 32; ++row) {
        words[2 + row] = tw_reciprocal(start + row, table);
    }
    tw::function_of_words<1, TW_HASH("welford_update")>(dst, words);
}
template <std::size_t entries>
ALWI void welford_update(uint32_t dst, uint32_t start, const std::array<uint32_t, entries>& table) {
    welford_update_rows(dst, start, 0, 32, table);
}

ALWI void welford_save_state(uint32_t mean, uint32_t group = 0) {
    tw::function<2, TW_HASH("welford_save_state")>(mean, mean + 1, mean, group);
}
ALWI void welford_restore_state(uint32_t mean, uint32_t group = 0) {
    tw::function<2, TW_HASH("welford_restore_state")>(mean, mean + 1, mean, group);
}
template <std::size_t entries>
ALWI void welford_finalize_to_row(
    uint32_t mean, uint32_t scale, const std::array<uint32_t, entries>& table) {
    constexpr uint32_t hash = TW_HASH("welford_finalize_to_row");
    tw::function<2, hash>(mean, mean + 1, mean, tw_reciprocal(scale, table));
}
template <std::size_t entries>
ALWI void welford_finalize_to_face(
    uint32_t mean, uint32_t group, uint32_t scale, const std::array<uint32_t, entries>& table) {
    constexpr uint32_t hash = TW_HASH("welford_finalize_to_face");
    tw::function<2, hash>(mean, mean + 1, mean, tw_reciprocal(scale, table), group);
}
template <std::size_t entries>
ALWI void welford_finalize_to_face(
    uint32_t mean, uint32_t scale, const std::array<uint32_t, entries>& table) {
    welford_finalize_to_face(mean, 0, scale, table);
}

}  // namespace ckernel
