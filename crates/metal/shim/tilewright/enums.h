// Enums that the generated descriptors need (tt-llk `llk_defs.h`).

#pragma once

#include <cstdint>

namespace ckernel {

enum class MathFidelity : std::uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum DstSync { SyncHalf = 0, SyncFull = 1 };

}  // namespace ckernel
