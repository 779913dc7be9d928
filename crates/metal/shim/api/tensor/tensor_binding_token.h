// A tensor by name: where its description and its address are among the arguments.

#pragma once

#include <cstdint>

#include "api/tensor/tensor_accessor_args.h"

namespace tensor_accessor {

template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
struct TensorBindingToken {
    static_assert(ADDR_CRTA_OFFSET % 4 == 0, "addresses among the arguments are words");
    using args_t = TensorAccessorArgs<CTA_OFFSET>;
    static constexpr args_t args{};
    static constexpr uint32_t addr_crta_offset = ADDR_CRTA_OFFSET;
};

}  // namespace tensor_accessor
