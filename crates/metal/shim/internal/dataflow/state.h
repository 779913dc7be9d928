// What a processor leaves in its network command buffers: addresses, sizes and transaction ids that
// later calls use again.

#pragma once

#include "internal/dataflow/places.h"

inline constexpr uint8_t read_cmd_buf = 0;
inline constexpr uint8_t write_cmd_buf = 1;
inline constexpr uint8_t write_reg_cmd_buf = 2;
inline constexpr uint8_t write_at_cmd_buf = 3;

namespace tw {

struct command_buffer {
    uint64_t address;
    uint32_t bytes;
    uint32_t trid;
    uint32_t value;

    // The state's core or bank, and another byte of it. 32 bits of an address are the caller's.
    uint64_t at(uint32_t low) const { return (address & ~uint64_t{0xffffffff}) | low; }
};

struct command_buffers {
    command_buffer read[NUM_NOCS];
    command_buffer write[NUM_NOCS];
    command_buffer with_value[NUM_NOCS];
};

FORCE_INLINE command_buffers& commands() {
    return kept<command_buffers, kept_by::commands, kept_by::tilize>();
}
FORCE_INLINE command_buffer& read_state(uint32_t noc) { return commands().read[noc]; }
FORCE_INLINE command_buffer& write_state(uint32_t noc) { return commands().write[noc]; }
FORCE_INLINE command_buffer& inline_state(uint32_t noc) { return commands().with_value[noc]; }

FORCE_INLINE void read(
    uint32_t noc, uint64_t from, uint32_t to, uint32_t bytes) {
    tw_calls->noc_read(TW_HERE, noc, read_state(noc).trid, from, to, bytes);
}
FORCE_INLINE void write(
    uint32_t noc, uint32_t from, uint64_t to, uint32_t bytes, uint32_t flags) {
    tw_calls->noc_write(TW_HERE, noc, write_state(noc).trid, from, to, bytes, flags);
}
FORCE_INLINE void barrier(uint32_t noc, uint32_t kind, uint32_t trid) {
    tw_calls->noc_barrier(TW_HERE, noc, kind, trid);
}

}  // namespace tw
