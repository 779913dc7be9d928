// A row of tiles times a matrix: every core of a row of cores has a column of the product. The first
// core reads each tile of the row once and sends it to all others.

#include <tt-metalium/tilize_utils.hpp>

#include "../common/launch.h"

namespace {

constexpr uint32_t SIDE = tt::constants::TILE_WIDTH;
constexpr uint32_t INNER = 6;
constexpr uint32_t COLUMNS = 4;

// The product in single precision.
std::vector<float> exact(const std::vector<bfloat16>& a, const std::vector<bfloat16>& b) {
    std::vector<float> product(SIDE * COLUMNS * SIDE);
    for (uint32_t row = 0; row < SIDE; row++) {
        for (uint32_t column = 0; column < COLUMNS * SIDE; column++) {
            float sum = 0;
            for (uint32_t inner = 0; inner < INNER * SIDE; inner++) {
                sum += float(a[row * INNER * SIDE + inner]) * float(b[inner * COLUMNS * SIDE + column]);
            }
            product[row * COLUMNS * SIDE + column] = sum;
        }
    }
    return product;
}

}  // namespace

int main() {
    auto device = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = device->mesh_command_queue();
    auto row = dram_tiles(*device, INNER);
    auto matrix = dram_tiles(*device, INNER * COLUMNS);
    auto product = dram_tiles(*device, COLUMNS);
    auto row_values = random_tiles(INNER, 1);
    auto matrix_values = random_tiles(INNER * COLUMNS, 2);
    distributed::EnqueueWriteMeshBuffer(queue, row, tilize_nfaces(row_values, SIDE, INNER * SIDE));
    distributed::EnqueueWriteMeshBuffer(queue, matrix, tilize_nfaces(matrix_values, INNER * SIDE, COLUMNS * SIDE));

    Program program = CreateProgram();
    const CoreRange all({0, 0}, {COLUMNS - 1, 0}), others({1, 0}, {COLUMNS - 1, 0});
    const CoreCoord sender_core = {0, 0};
    for (uint32_t index : {tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16}) { ring(program, all, index, 2); }
    uint32_t ready = CreateSemaphore(program, all, 0), sent = CreateSemaphore(program, all, INVALID);
    std::vector<uint32_t> sender_args, receiver_args, writer_args;
    TensorAccessorArgs(*row).append_to(sender_args);
    TensorAccessorArgs(*matrix).append_to(sender_args);
    TensorAccessorArgs(*matrix).append_to(receiver_args);
    TensorAccessorArgs(*product).append_to(writer_args);
    auto sender = CreateKernel(program, "matmul/kernels/sender.cpp", sender_core,
                               ReaderDataMovementConfig(sender_args, definitions()));
    auto receiver = CreateKernel(program, "matmul/kernels/receiver.cpp", others,
                                 ReaderDataMovementConfig(receiver_args));
    auto writer = CreateKernel(program, "matmul/kernels/writer.cpp", all, WriterDataMovementConfig(writer_args));
    CreateKernel(program, "matmul/kernels/compute.cpp", all, ComputeConfig{.compile_args = {INNER}});
    auto first = device->worker_core_from_logical_core(others.start_coord);
    auto last = device->worker_core_from_logical_core(others.end_coord);
    auto home = device->worker_core_from_logical_core(sender_core);
    SetRuntimeArgs(program, sender, sender_core,
                   {row->address(), matrix->address(), INNER, COLUMNS, ready, sent, uint32_t(first.x),
                    uint32_t(first.y), uint32_t(last.x), uint32_t(last.y)});
    for (const CoreCoord& core : all) {
        uint32_t column = core.x;
        if (column > 0) {
            SetRuntimeArgs(program, receiver, core,
                           {matrix->address(), INNER, COLUMNS, column, ready, sent, uint32_t(home.x),
                            uint32_t(home.y)});
        }
        SetRuntimeArgs(program, writer, core, {product->address(), column});
    }
    launch(*device, std::move(program));

    std::vector<bfloat16> result;
    distributed::EnqueueReadMeshBuffer(queue, result, product);
    result = untilize_nfaces(result, SIDE, COLUMNS * SIDE);
    auto wanted = exact(row_values, matrix_values);
    for (size_t place = 0; place < result.size(); place++) {
        // INNER sums are rounded to the 8 bits of bf16, of values up to INNER * SIDE.
        float bound = INNER * (1.0f / 128) * std::max(1.0f, std::abs(wanted[place])) * 4;
        TT_FATAL(std::abs(float(result[place]) - wanted[place]) <= bound, "value {} is {} and not {}", place,
                 float(result[place]), wanted[place]);
    }
    fmt::print("{} columns of tiles on as many cores\n", COLUMNS);
    return device->close() ? 0 : 1;
}
