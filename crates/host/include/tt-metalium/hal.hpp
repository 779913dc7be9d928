// Facts of the chip.
#pragma once

#include <cstdint>
#include <string>

#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal::hal {

ARCH get_arch();
std::string get_arch_name();
uint32_t get_l1_size();
uint32_t get_l1_alignment();
uint32_t get_dram_alignment();
uint32_t get_max_worker_l1_unreserved_size();
uint32_t get_arch_num_circular_buffers();

// tt-metal's values for both chips.
inline float get_eps() { return 1.19209e-7f; }
inline float get_nan() { return 7.0040e+19f; }
inline float get_inf() { return 1.7014e+38f; }

}  // namespace tt::tt_metal::hal
