// Blocks of tiles between interleaved tensors and circular buffers.
//
// A block always takes all its pages of the ring, even where it has fewer tiles, so that none
// straddles the ring's end. Which tile is which page, `page_of` says.

#pragma once

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

// Reserves a block of pages and asks for tiles into it. The caller awaits them and pushes.
template <typename Tensor, typename PageOf>
uint32_t ask_for_tiles(uint32_t cb, uint32_t block, const Tensor& tensor, uint32_t tiles, PageOf page_of) {
    cb_reserve_back(cb, block);
    const uint32_t start = get_write_ptr(cb);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        noc_async_read_page(page_of(tile), tensor, start + tile * get_tile_size(cb));
    }
    return start;
}

// Waits for a block of pages, writes its tiles and gives the pages back.
template <typename Tensor, typename PageOf>
void write_tiles(uint32_t cb, uint32_t block, const Tensor& tensor, uint32_t tiles, PageOf page_of) {
    cb_wait_front(cb, block);
    const uint32_t start = get_read_ptr(cb);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        noc_async_write_page(page_of(tile), tensor, start + tile * get_tile_size(cb));
    }
    noc_async_write_barrier();
    cb_pop_front(cb, block);
}

// Pages one after another.
inline auto from_page(uint32_t first) {
    return [first](uint32_t tile) { return first + tile; };
}
