// A tile of Dst turned about the diagonal.

#pragma once

#include "api/compute/common.h"
#include "internal/sfpu.h"

namespace ckernel {

template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest_init(uint32_t = 0) {
    tw::variant(transpose_of_faces, "a transpose within faces alone");
    tw::vector_init({TW_VECTOR_TRANSPOSE, 0, 0, 0, 0, 0});
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest(uint32_t dst) {
    tw::variant(transpose_of_faces, "a transpose within faces alone");
    tw::vector({TW_VECTOR_TRANSPOSE, 0, 0, 0, 0, 0}, dst, dst, dst);
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_wh_dest_init_short(uint32_t operand = 0) {
    transpose_dest_init<is_32bit, transpose_of_faces>(operand);
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_wh_dest(uint32_t dst) {
    transpose_dest<is_32bit, transpose_of_faces>(dst);
}

}  // namespace ckernel
