// A tile where a mask lets it through.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void mask_tile_init() { tw::vector_init({TW_VECTOR_MASKED, TW_MASKED_ZERO, 0, 0, 0, 0}); }
ALWI void mask_tile(uint32_t data, uint32_t mask, DataFormat format = DataFormat::Float16_b) {
    tw::variant(format != DataFormat::Int32, "masks of integer tiles");
    tw::vector({TW_VECTOR_MASKED, TW_MASKED_ZERO, 0, 0, 0, 0}, data, mask, data);
}
ALWI void mask_posinf_tile(uint32_t data, uint32_t mask) {
    tw::vector({TW_VECTOR_MASKED, TW_MASKED_POSITIVE_INFINITY, 0, 0, 0, 0}, data, mask, data);
}

}  // namespace ckernel
