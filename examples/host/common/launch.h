// What the host programs have in common: buffers of tiles, and launches.

#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

using namespace tt::tt_metal;

constexpr uint32_t TILE_VALUES = tt::constants::TILE_HW;
constexpr uint32_t TILE_BYTES = TILE_VALUES * sizeof(bfloat16);

using BufferPtr = std::shared_ptr<distributed::MeshBuffer>;

// Values between -1 and 1.
inline std::vector<bfloat16> random_tiles(uint32_t tiles, uint32_t seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> distribution(-1.0f, 1.0f);
    std::vector<bfloat16> values(tiles * TILE_VALUES);
    for (bfloat16& value : values) { value = distribution(generator); }
    return values;
}

inline BufferPtr dram_tiles(distributed::MeshDevice& device, uint32_t tiles) {
    distributed::DeviceLocalBufferConfig local{.page_size = TILE_BYTES, .buffer_type = BufferType::DRAM};
    distributed::ReplicatedBufferConfig config{.size = tiles * TILE_BYTES};
    return distributed::MeshBuffer::create(config, local, &device);
}

inline void ring(Program& program, const CoreRangeSet& cores, uint32_t index, uint32_t tiles) {
    CircularBufferConfig config(tiles * TILE_BYTES, {{static_cast<uint8_t>(index), tt::DataFormat::Float16_b}});
    CreateCircularBuffer(program, cores, config.set_page_size(index, TILE_BYTES));
}

inline void launch(distributed::MeshDevice& device, Program program) {
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(device.shape()), std::move(program));
    distributed::EnqueueMeshWorkload(device.mesh_command_queue(), workload, false);
    distributed::Finish(device.mesh_command_queue());
}

// The definitions of kernels: a twin of a program says what it breaks.
inline std::map<std::string, std::string> definitions() {
#ifdef BROKEN
    return {{"BROKEN", "1"}};
#else
    return {};
#endif
}
