// One tile of Dst to another.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void copy_dest_values_init() { tw::vector_init({TW_VECTOR_COPY_VALUES, 0, 0, 0, 0}); }
ALWI void copy_dest_values(uint32_t from, uint32_t to) {
    tw::vector({TW_VECTOR_COPY_VALUES, 0, 0, 0, 0}, from, from, to);
}
template <DataFormat format>
ALWI void copy_dest_values(uint32_t from, uint32_t to) {
    static_assert(format != DataFormat::Int32 && format != DataFormat::UInt32, "integer tiles are not served");
    copy_dest_values(from, to);
}

}  // namespace ckernel
