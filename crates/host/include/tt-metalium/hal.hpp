// Facts of the chip.
#pragma once

#include <cstdint>

#include <tt-metalium/hal_types.hpp>

namespace tt::tt_metal::hal {

uint32_t get_l1_size();
uint32_t get_l1_alignment();
uint32_t get_dram_alignment();
uint32_t get_max_worker_l1_unreserved_size();

}  // namespace tt::tt_metal::hal
