// Constants of Wormhole's network and memory map, and this core's place.
//
// Sources: noc_parameters.h, dev_mem_map.h and core_config.h of tt-metal, for Wormhole.

#pragma once

#include <cstdint>

#include "tilewright/address.h"
#include "tilewright/call.h"

typedef unsigned int uint;

inline constexpr uint8_t noc_index = NOC_INDEX;
inline constexpr uint8_t noc_mode = NOC_MODE;

#define NOC_0 0
#define NOC_1 1
#define NUM_NOCS 2
#define DM_DEDICATED_NOC 0
#define DM_DYNAMIC_NOC 1
#define NOC_MAX_BURST_WORDS 256
#define NOC_WORD_BYTES 32
#define NOC_MAX_BURST_SIZE (NOC_MAX_BURST_WORDS * NOC_WORD_BYTES)
#define NOC_MAX_TRANSACTION_ID 0xF
#define NOC_MAX_TRANSACTION_ID_COUNT 255
#define NOC_CLEAR_OUTSTANDING_REQ_MASK 0xffffu
#define NOC_UNICAST_WRITE_VC 1
#define NOC_MULTICAST_WRITE_VC 4
#define NOC_DISPATCH_MULTICAST_WRITE_VC 5
#define NOC_L1_READ_ALIGNMENT_BYTES 16
#define NOC_L1_WRITE_ALIGNMENT_BYTES 16
#define NOC_DRAM_READ_ALIGNMENT_BYTES TW_DRAM_ALIGNMENT
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES 16
#define L1_ALIGNMENT TW_L1_ALIGNMENT
#define DRAM_ALIGNMENT TW_DRAM_ALIGNMENT
#define LOG_BASE_2_OF_DRAM_ALIGNMENT TW_DRAM_ALIGNMENT_BITS
#define LOG_BASE_2_OF_L1_ALIGNMENT 4
#define MEM_L1_BASE 0
#define MEM_L1_SIZE TW_L1_BYTES

// Coordinates are those of the grid, which begins at (0, 0).
#define VIRTUAL_TENSIX_START_X 0
#define VIRTUAL_TENSIX_START_Y 0

#define NOC_ADDR_LOCAL_BITS 36
#define NOC_ADDR_NODE_ID_BITS 6
#define NOC_ADDR_COORD_SHIFT NOC_ADDR_LOCAL_BITS
#define NOC_XY_ADDR(x, y, address) tw::noc_address((x), (y), (address))
#define NOC_UNICAST_ADDR_X(address) ((uint32_t)((address) >> NOC_ADDR_LOCAL_BITS) & 0x3f)
#define NOC_UNICAST_ADDR_Y(address) ((uint32_t)((address) >> (NOC_ADDR_LOCAL_BITS + 6)) & 0x3f)
#define NOC_LOCAL_ADDR_OFFSET(address) ((address)&0xfffffffffull)
#define NOC_LOCAL_ADDR(address) NOC_LOCAL_ADDR_OFFSET(address)
#define NOC_XY_ENCODING(x, y) ((uint32_t)(x) | (uint32_t)(y) << 6)
#define NOC_MULTICAST_ENCODING(x0, y0, x1, y1) \
    ((uint32_t)(x1) | (uint32_t)(y1) << 6 | (uint32_t)(x0) << 12 | (uint32_t)(y0) << 18)
#define NOC_MULTICAST_ADDR(x0, y0, x1, y1, address) tw::rectangle((x0), (y0), (x1), (y1), (address))
// Coordinates are those of the grid on both networks.
#define DYNAMIC_NOC_X(noc, x) (x)
#define DYNAMIC_NOC_Y(noc, y) (y)
#define NOC_X(x) (x)
#define NOC_Y(y) (y)
#define NOC_X_PHYS_COORD(x) (x)
#define NOC_Y_PHYS_COORD(y) (y)

enum class ProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, DRAM = 3, COUNT = 4 };
enum class InlineWriteDst : uint32_t { DEFAULT = 0, L1 = 1, REG = 2 };

namespace tw {

// This core's place on the network, by network: it is the same on both.
template <int Shift>
struct own_coordinate {
    uint8_t operator[](int) const { return static_cast<uint8_t>(tw_calls->core() >> Shift); }
};

inline uint32_t address_of(const volatile void* at) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(at));
}

}  // namespace tw

inline constexpr tw::own_coordinate<0> my_x{};
inline constexpr tw::own_coordinate<8> my_y{};
