// Values at random, by the generator of each lane. On Wormhole only the generator can be set.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void rand_tile_init(uint32_t seed = 0, uint32_t stream_id = 0) {
    constexpr uint32_t stuck = 0xffffffff;
    constexpr uint32_t between_streams = 0x9e3779b9;
    const uint32_t start = seed + stream_id * between_streams;
    tw::function_init<TW_HASH("rand_tile")>();
    tw::function<0, TW_HASH("prng_seed")>(0, start == stuck ? start - 1 : start);
}
TW_FUNCTION_2(rand_tile)

}  // namespace ckernel
