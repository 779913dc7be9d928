// Rings, on the data-movement side.

#pragma once

#include "chlkc_descriptors.h"
#include "hostdevcommon/kernel_structs.h"
#include "internal/circular_buffer_interface.h"
#include "internal/data_format.h"
#include "tilewright/call.h"

#define DATA_FORMATS_DEFINED

FORCE_INLINE void cb_reserve_back(int32_t cb, int32_t pages) {
    tw_calls->reserve_back(TW_HERE, static_cast<uint32_t>(cb), static_cast<uint32_t>(pages));
}
FORCE_INLINE void cb_push_back(int32_t cb, int32_t pages) {
    tw_calls->push_back(TW_HERE, static_cast<uint32_t>(cb), static_cast<uint32_t>(pages));
}
FORCE_INLINE void cb_wait_front(int32_t cb, int32_t pages) {
    tw_calls->wait_front(TW_HERE, static_cast<uint32_t>(cb), static_cast<uint32_t>(pages));
}
FORCE_INLINE void cb_pop_front(int32_t cb, int32_t pages) {
    tw_calls->pop_front(TW_HERE, static_cast<uint32_t>(cb), static_cast<uint32_t>(pages));
}
FORCE_INLINE bool cb_pages_reservable_at_back(int32_t cb, int32_t pages) {
    return tw::ring_of(static_cast<uint32_t>(cb)).free >= static_cast<uint32_t>(pages);
}
FORCE_INLINE bool cb_pages_available_at_front(int32_t cb, int32_t pages) {
    return tw::ring_of(static_cast<uint32_t>(cb)).visible >= static_cast<uint32_t>(pages);
}
FORCE_INLINE uint32_t get_write_ptr(uint32_t cb) { return tw_calls->write_pointer(TW_HERE, cb); }
FORCE_INLINE uint32_t get_read_ptr(uint32_t cb) { return tw_calls->read_pointer(TW_HERE, cb); }

constexpr int32_t get_tile_size(int32_t cb) { return unpack_tile_size[cb]; }
constexpr uint32_t get_tile_hw(int32_t cb) { return uint32_t{unpack_tile_r_dim[cb]} * unpack_tile_c_dim[cb]; }
constexpr uint32_t get_tile_num_faces(int32_t cb) { return unpack_tile_num_faces[cb]; }
constexpr DataFormat get_dataformat(int32_t cb) { return static_cast<DataFormat>(unpack_src_format[cb]); }
