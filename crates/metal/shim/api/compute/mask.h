// A tile where a mask lets it through.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void mask_tile_init(TW_AT) { tw::vector_init({TW_VECTOR_MASK, TW_MASKED_ZERO, 0, 0, 0}, tw_at); }
ALWI void mask_tile(uint32_t data, uint32_t mask, DataFormat format = DataFormat::Float16_b, TW_AT) {
    tw::variant(format != DataFormat::Int32, "masks of integer tiles", tw_at);
    tw::vector({TW_VECTOR_MASK, TW_MASKED_ZERO, 0, 0, 0}, data, mask, data, tw_at);
}
ALWI void mask_posinf_tile(uint32_t data, uint32_t mask, TW_AT) {
    tw::vector({TW_VECTOR_MASK, TW_MASKED_POSINF, 0, 0, 0}, data, mask, data, tw_at);
}

}  // namespace ckernel
