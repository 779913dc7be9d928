// Work dealt out to cores, as tt-metal does it.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <tt-metalium/core_coord.hpp>

namespace tt::tt_metal {

int find_max_divisor(uint32_t val, uint32_t start_max_div);
int find_max_block_size(uint32_t val, uint32_t max_block_size = 8);

CoreRangeSet num_cores_to_corerangeset(
    CoreCoord start_core, uint32_t target_num_cores, CoreCoord grid_size, bool row_wise = false);
CoreRangeSet num_cores_to_corerangeset(
    uint32_t target_num_cores, CoreCoord grid_size, bool row_wise = false);

// Cores in use, all of them, those with more work, those with less, and how much each has.
using SplitWork = std::tuple<uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, uint32_t, uint32_t>;

SplitWork split_work_to_cores(
    CoreCoord grid_size, uint32_t units_to_divide, bool row_wise = false);
SplitWork split_work_to_cores(
    const CoreRangeSet& core_grid, uint32_t units_to_divide, bool row_wise = false);

}  // namespace tt::tt_metal
