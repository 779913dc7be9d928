// Limits of a matrix product's speed, which the environment of a program may ask for.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <umd/device/types/arch.hpp>

namespace ttnn::operations::compute_throttle_utils {

enum class ThrottleLevel : uint32_t { NO_THROTTLE, LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_4, LEVEL_5 };

using Defines = std::map<std::string, std::string>;

// Defines for kernels on more cores than tt-metal lets start at once, if TT_MM_STAGGER_TYPE is set.
void add_stagger_defines_if_needed(tt::ARCH arch, int num_cores, Defines& defines);
// As TT_MM_SKIP_IN1_DRAM says.
void add_dram_skip_defines_if_needed(tt::ARCH arch, Defines& defines);
// As TT_MM_SYNC_AFTER_IN1_DRAM says.
bool should_sync_after_in1_dram(tt::ARCH arch);
// As TT_MM_THROTTLE_PERF says, or else the level.
void throttle_mm_perf(tt::ARCH arch, int num_cores, Defines& defines,
                      ThrottleLevel level = ThrottleLevel::NO_THROTTLE);

}  // namespace ttnn::operations::compute_throttle_utils
