// A tile of Dst turned about the diagonal.

#pragma once

#include "api/compute/common.h"
#include "internal/sfpu.h"

namespace ckernel {

template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest_init(uint32_t = 0, TW_AT) {
    tw::variant(transpose_of_faces, "a transpose within faces alone", tw_at);
    tw::vector_init({TW_VECTOR_TRANSPOSE, 0, 0, 0, 0}, tw_at);
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest(uint32_t dst, TW_AT) {
    tw::variant(transpose_of_faces, "a transpose within faces alone", tw_at);
    tw::vector({TW_VECTOR_TRANSPOSE, 0, 0, 0, 0}, dst, dst, dst, tw_at);
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_wh_dest_init_short(uint32_t operand = 0, TW_AT) {
    transpose_dest_init<is_32bit, transpose_of_faces>(operand, tw_at);
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_wh_dest(uint32_t dst, TW_AT) {
    transpose_dest<is_32bit, transpose_of_faces>(dst, tw_at);
}

}  // namespace ckernel
