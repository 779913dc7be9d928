// Where buffers lie, and how they are cut.
#pragma once

#include <cstdint>
#include <string>

namespace tt::tt_metal {

using DeviceAddr = std::uint64_t;

enum class TensorMemoryLayout {
    INTERLEAVED = 0,
    HEIGHT_SHARDED = 2,
    WIDTH_SHARDED = 3,
    BLOCK_SHARDED = 4,
    ND_SHARDED = 5,
};

enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR };

enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };

std::string fmt_name(TensorMemoryLayout layout);
std::string fmt_name(ShardOrientation orientation);
std::string fmt_name(BufferType type);

inline bool is_sharded(const TensorMemoryLayout& layout) {
    return layout != TensorMemoryLayout::INTERLEAVED;
}

}  // namespace tt::tt_metal
