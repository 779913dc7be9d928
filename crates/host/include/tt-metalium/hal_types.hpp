// Kinds of cores and memories.
#pragma once

#include <cstdint>

namespace tt {

// Programs run on workers; kernels of other kinds of cores are not modelled.
enum class CoreType { WORKER, ETH, IDLE_ETH, DRAM };

}  // namespace tt

using tt::CoreType;

namespace tt::tt_metal {

enum class HalProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, COUNT = 3 };

enum class HalMemType : uint8_t { L1 = 0, DRAM = 1, HOST = 2, COUNT = 3 };

}  // namespace tt::tt_metal
