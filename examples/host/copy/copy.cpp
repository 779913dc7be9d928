// Copies a buffer of tiles in DRAM through L1 of one core.

#include "../common/launch.h"

int main() {
    constexpr uint32_t tiles = 12;
    auto device = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = device->mesh_command_queue();
    auto source = dram_tiles(*device, tiles);
    auto target = dram_tiles(*device, tiles);
    auto values = random_tiles(tiles, 1);
    distributed::EnqueueWriteMeshBuffer(queue, source, values);

    Program program = CreateProgram();
    constexpr CoreCoord core = {0, 0};
    ring(program, CoreRange(core), tt::CBIndex::c_0, 2);
    std::vector<uint32_t> reader_args, writer_args;
    TensorAccessorArgs(*source).append_to(reader_args);
    TensorAccessorArgs(*target).append_to(writer_args);
    auto reader = CreateKernel(program, "copy/kernels/reader.cpp", core,
                               ReaderDataMovementConfig(reader_args, definitions()));
    auto writer = CreateKernel(program, "copy/kernels/writer.cpp", core, WriterDataMovementConfig(writer_args));
    SetRuntimeArgs(program, reader, core, {source->address(), tiles});
    SetRuntimeArgs(program, writer, core, {target->address(), tiles});
    launch(*device, std::move(program));

    std::vector<bfloat16> copied;
    distributed::EnqueueReadMeshBuffer(queue, copied, target);
    TT_FATAL(copied == values, "the copy differs from its source");
    fmt::print("{} tiles copied\n", tiles);
    return device->close() ? 0 : 1;
}
