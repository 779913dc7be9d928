// One tile of Dst to another.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void copy_dest_values_init() { tw::vector_init({TW_VECTOR_COPY_VALUES, 0, 0, 0, 0, 0}); }
ALWI void copy_dest_values(uint32_t from, uint32_t to) {
    tw::vector({TW_VECTOR_COPY_VALUES, 0, 0, 0, 0, 0}, from, from, to);
}
template <DataFormat format>
ALWI void copy_dest_values(uint32_t from, uint32_t to) {
    // In a 32-bit Dst, copies of 16 bits reach other rows than those of the tiles.
    if constexpr (format == DataFormat::Float16_b && DST_ACCUM_MODE) {
        tw::function<1, TW_HASH("copy_dest_values<Float16_b>")>(from, to);
    } else {
        copy_dest_values(from, to);
    }
}

}  // namespace ckernel
