// One tile of Dst to another.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void copy_dest_values_init(TW_AT) { tw::vector_init({TW_VECTOR_COPY_VALUES, 0, 0, 0, 0}, tw_at); }
ALWI void copy_dest_values(uint32_t from, uint32_t to, TW_AT) {
    tw::vector({TW_VECTOR_COPY_VALUES, 0, 0, 0, 0}, from, from, to, tw_at);
}
template <DataFormat format>
ALWI void copy_dest_values(uint32_t from, uint32_t to, TW_AT) {
    static_assert(format != DataFormat::Int32 && format != DataFormat::UInt32, "integer tiles are not served");
    copy_dest_values(from, to, tw_at);
}

}  // namespace ckernel
