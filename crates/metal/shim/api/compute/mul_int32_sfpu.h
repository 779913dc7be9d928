// Products of whole numbers of 32 bits, as kernels of before 2026 call them.

#pragma once

#include "api/compute/mul_int_sfpu.h"

namespace ckernel {

ALWI void mul_int32_tile_init() { mul_int_tile_init<DataFormat::Int32>(); }
ALWI void mul_int32_tile(uint32_t x, uint32_t y, uint32_t out) { mul_int_tile<DataFormat::Int32>(x, y, out); }
ALWI void mul_uint32_tile(uint32_t x, uint32_t y, uint32_t out) { mul_int_tile<DataFormat::UInt32>(x, y, out); }

}  // namespace ckernel
