// Adds two buffers of tiles on as many cores as there is work for.

#include <tt-metalium/work_split.hpp>

#include "../common/launch.h"

int main() {
    constexpr uint32_t tiles = 100;
    auto device = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = device->mesh_command_queue();
    auto first = dram_tiles(*device, tiles);
    auto second = dram_tiles(*device, tiles);
    auto sum = dram_tiles(*device, tiles);
    auto first_values = random_tiles(tiles, 1);
    auto second_values = random_tiles(tiles, 2);
    distributed::EnqueueWriteMeshBuffer(queue, first, first_values);
    distributed::EnqueueWriteMeshBuffer(queue, second, second_values);

    auto [cores, all, more, fewer, more_tiles, fewer_tiles] =
        split_work_to_cores(device->compute_with_storage_grid_size(), tiles);
    Program program = CreateProgram();
    for (uint32_t index : {tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16}) { ring(program, all, index, 2); }
    std::vector<uint32_t> reader_args, writer_args;
    TensorAccessorArgs(*first).append_to(reader_args);
    TensorAccessorArgs(*second).append_to(reader_args);
    TensorAccessorArgs(*sum).append_to(writer_args);
    auto reader = CreateKernel(program, "add/kernels/reader.cpp", all, ReaderDataMovementConfig(reader_args));
    auto writer = CreateKernel(program, "add/kernels/writer.cpp", all, WriterDataMovementConfig(writer_args));
    auto compute = CreateKernel(program, "add/kernels/compute.cpp", all, ComputeConfig{});
    uint32_t start = 0;
    for (const CoreCoord& core : corerange_to_cores(all)) {
        uint32_t own = more.contains(core) ? more_tiles : fewer_tiles;
#ifdef BROKEN
        uint32_t read = own - 1;
#else
        uint32_t read = own;
#endif
        SetRuntimeArgs(program, reader, core, {first->address(), second->address(), start, read});
        SetRuntimeArgs(program, writer, core, {sum->address(), start, own});
        SetRuntimeArgs(program, compute, core, {own});
        start += own;
    }
    launch(*device, std::move(program));

    std::vector<bfloat16> result;
    distributed::EnqueueReadMeshBuffer(queue, result, sum);
    for (size_t place = 0; place < result.size(); place++) {
        float wanted = static_cast<float>(first_values[place]) + static_cast<float>(second_values[place]);
        // The sum of two bf16 values, rounded once.
        TT_FATAL(std::abs(static_cast<float>(result[place]) - wanted) <= std::abs(wanted) / 128,
                 "value {} is {} and not {}", place, static_cast<float>(result[place]), wanted);
    }
    fmt::print("{} tiles added on {} cores\n", tiles, cores);
    return device->close() ? 0 : 1;
}
