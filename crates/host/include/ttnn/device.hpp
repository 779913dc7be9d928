// Devices as operations name them.
#pragma once

#include <cstddef>
#include <memory>

#include <tt-metalium/distributed.hpp>
#include <ttnn/types.hpp>

namespace ttnn {

using tt::tt_metal::DEFAULT_L1_SMALL_SIZE;
using tt::tt_metal::DEFAULT_TRACE_REGION_SIZE;

inline std::shared_ptr<MeshDevice> open_mesh_device(
    int device_id, std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
    std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE, std::size_t num_queues = 1,
    const tt::tt_metal::DispatchCoreConfig& dispatch = {},
    std::source_location here = std::source_location::current()) {
    return MeshDevice::create_unit_mesh(
        device_id, l1_small_size, trace_region_size, num_queues, dispatch, here);
}

inline void close_device(
    MeshDevice& device, std::source_location here = std::source_location::current()) {
    device.close(here);
}

}  // namespace ttnn
