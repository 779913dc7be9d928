// Adds two buffers that lie in the L1 of the cores that add them: circular buffers are put into the
// shards, and nothing is moved.

#include "../common/launch.h"

namespace {

constexpr uint32_t CORES = 4;
constexpr uint32_t TILES_A_CORE = 3;

// A column of tiles, some for each core.
BufferPtr sharded_tiles(distributed::MeshDevice& device, const CoreRange& cores) {
    using namespace tt::constants;
    ShardSpecBuffer spec(cores, {TILES_A_CORE * TILE_HEIGHT, TILE_WIDTH}, ShardOrientation::ROW_MAJOR,
                         {TILE_HEIGHT, TILE_WIDTH}, {CORES * TILES_A_CORE, 1});
    distributed::DeviceLocalBufferConfig local{
        .page_size = TILE_BYTES,
        .buffer_type = BufferType::L1,
        .sharding_args = BufferShardingArgs(spec, TensorMemoryLayout::HEIGHT_SHARDED)};
    distributed::ReplicatedBufferConfig config{.size = CORES * TILES_A_CORE * TILE_BYTES};
    return distributed::MeshBuffer::create(config, local, &device);
}

// A ring in the shards of a buffer.
void ring_in(Program& program, const CoreRange& cores, uint32_t index, const BufferPtr& buffer) {
    CircularBufferConfig config(TILES_A_CORE * TILE_BYTES,
                                {{static_cast<uint8_t>(index), tt::DataFormat::Float16_b}});
    config.set_page_size(index, TILE_BYTES).set_globally_allocated_address(*buffer->get_backing_buffer());
    CreateCircularBuffer(program, cores, config);
}

}  // namespace

int main() {
    auto device = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = device->mesh_command_queue();
    const CoreRange cores({0, 0}, {CORES - 1, 0});
    auto first = sharded_tiles(*device, cores);
    auto second = sharded_tiles(*device, cores);
    auto sum = sharded_tiles(*device, cores);
    auto first_values = random_tiles(CORES * TILES_A_CORE, 1);
    auto second_values = random_tiles(CORES * TILES_A_CORE, 2);
    distributed::EnqueueWriteMeshBuffer(queue, first, first_values);
    distributed::EnqueueWriteMeshBuffer(queue, second, second_values);

    Program program = CreateProgram();
    ring_in(program, cores, tt::CBIndex::c_0, first);
    ring_in(program, cores, tt::CBIndex::c_1, second);
    ring_in(program, cores, tt::CBIndex::c_16, sum);
    CreateKernel(program, "sharded_add/kernels/reader.cpp", cores,
                 ReaderDataMovementConfig({TILES_A_CORE}));
    CreateKernel(program, "sharded_add/kernels/compute.cpp", cores,
                 ComputeConfig{.compile_args = {TILES_A_CORE}, .defines = definitions()});
    launch(*device, std::move(program));

    std::vector<bfloat16> result;
    distributed::EnqueueReadMeshBuffer(queue, result, sum);
    for (size_t place = 0; place < result.size(); place++) {
        float wanted = float(first_values[place]) + float(second_values[place]);
        // The sum of two bf16 values, rounded once.
        TT_FATAL(std::abs(float(result[place]) - wanted) <= std::abs(wanted) / 128, "value {} is {} and not {}", place,
                 float(result[place]), wanted);
    }
    fmt::print("{} tiles added where they lie\n", CORES * TILES_A_CORE);
    return device->close() ? 0 : 1;
}
