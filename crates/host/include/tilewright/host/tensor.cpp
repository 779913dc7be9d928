// Tensors of operations.

#include <tilewright/host/link.hpp>
#include <ttnn/device_operation.hpp>
#include <ttnn/tensor/tensor.hpp>

namespace tt::tt_metal {

using tilewright::host::ask;
using tilewright::host::Json;
using tilewright::host::refuse;

std::string fmt_name(DataType type) {
    switch (type) {
        case DataType::BFLOAT16: return "BFLOAT16";
        case DataType::FLOAT32: return "FLOAT32";
        case DataType::UINT32: return "UINT32";
        case DataType::BFLOAT8_B: return "BFLOAT8_B";
        case DataType::BFLOAT4_B: return "BFLOAT4_B";
        case DataType::UINT8: return "UINT8";
        case DataType::UINT16: return "UINT16";
        case DataType::INT32: return "INT32";
        case DataType::INVALID: return "INVALID";
    }
    return "INVALID";
}

std::string fmt_name(Layout layout) {
    return layout == Layout::ROW_MAJOR ? "ROW_MAJOR" : layout == Layout::TILE ? "TILE" : "INVALID";
}

tt::DataFormat datatype_to_dataformat_converter(DataType type) {
    switch (type) {
        case DataType::BFLOAT16: return tt::DataFormat::Float16_b;
        case DataType::FLOAT32: return tt::DataFormat::Float32;
        case DataType::UINT32: return tt::DataFormat::UInt32;
        case DataType::BFLOAT8_B: return tt::DataFormat::Bfp8_b;
        case DataType::BFLOAT4_B: return tt::DataFormat::Bfp4_b;
        case DataType::UINT8: return tt::DataFormat::UInt8;
        case DataType::UINT16: return tt::DataFormat::UInt16;
        case DataType::INT32: return tt::DataFormat::Int32;
        case DataType::INVALID: break;
    }
    TT_THROW("the data type is invalid");
}

Shape TensorSpec::padded_shape() const {
    Shape padded = shape_;
    if (layout() != Layout::TILE) { return padded; }
    for (int32_t dim : {-1, -2}) {
        bool is_there = padded.rank() >= static_cast<std::size_t>(-dim);
        if (is_there) { padded[dim] = tt::round_up(padded[dim], constants::TILE_WIDTH); }
    }
    return padded;
}

// Rows and columns of a page: a tile, a row, or the part of a row that is in one shard.
static std::array<uint32_t, 2> page_of(const TensorSpec& spec, const std::source_location& here) {
    if (spec.layout() == Layout::TILE) { return {constants::TILE_HEIGHT, constants::TILE_WIDTH}; }
    uint32_t width = spec.padded_shape()[-1];
    const auto& shards = spec.memory_config().shard_spec();
    if (!shards) { return {1, width}; }
    if (shards->shape[1] == 0 || width % shards->shape[1] != 0) {
        refuse(fmt::format("rows of {} values do not divide into shards of {}", width,
                           shards->shape[1]), here);
    }
    return {1, shards->shape[1]};
}

// Which cores the pages of a tensor are on, if it is sharded.
static BufferShardingArgs sharding_of(
    const TensorSpec& spec, std::array<uint32_t, 2> page, const std::source_location& here) {
    if (!spec.memory_config().is_sharded()) { return std::nullopt; }
    const auto& shards = spec.memory_config().shard_spec();
    if (!shards) { refuse("a sharded memory configuration needs a shard specification", here); }
    if (shards->shape[0] % page[0] != 0 || shards->shape[1] % page[1] != 0) {
        refuse(fmt::format("shards of {}x{} are not whole tiles", shards->shape[0],
                           shards->shape[1]), here);
    }
    Shape padded = spec.padded_shape();
    uint32_t width = padded[-1], height = static_cast<uint32_t>(padded.volume() / width);
    ShardSpecBuffer buffer(*shards, page, {height / page[0], width / page[1]});
    return BufferShardingArgs(buffer, spec.memory_config().memory_layout());
}

Tensor create_device_tensor(
    const TensorSpec& spec, distributed::MeshDevice* device, std::source_location here) {
    auto format = datatype_to_dataformat_converter(spec.data_type());
    bool is_tiled = spec.layout() == Layout::TILE;
    auto shape_of_page = page_of(spec, here);
    uint32_t values = shape_of_page[0] * shape_of_page[1];
    DeviceAddr page = is_tiled ? tt::tile_size(format) : values * tt::datum_size(format);
    distributed::DeviceLocalBufferConfig local{
        .page_size = page, .buffer_type = spec.memory_config().buffer_type(),
        .sharding_args = sharding_of(spec, shape_of_page, here)};
    distributed::ReplicatedBufferConfig config{
        .size = page * (spec.padded_shape().volume() / values)};
    auto buffer = distributed::MeshBuffer::create(config, local, device, std::nullopt, here);
    // Parts of rows are known as pages alone.
    if (spec.memory_config().is_sharded() && !is_tiled) { return Tensor(spec, std::move(buffer)); }
    Json json;
    json.open('{').field("call").text("means");
    json.field("buffer").number(buffer->get_backing_buffer()->unique_id());
    Shape shape = spec.logical_shape();
    json.field("shape").words(std::vector<uint32_t>(shape.begin(), shape.end()));
    json.field("format").text(name_of(format)).field("is_tiled").boolean(is_tiled).close('}');
    ask(json.str(), here);
    return Tensor(spec, std::move(buffer));
}

void Tensor::no_values(DataType type, const tilewright::host::Location& here) {
    refuse(fmt::format("values of {} are not modelled on the host: use pages", fmt_name(type)),
           here);
}

Tensor Tensor::from_pages(
    const TensorSpec& spec, distributed::MeshDevice* device, const void* pages, std::size_t bytes,
    std::source_location here) {
    Tensor tensor = create_device_tensor(spec, device, here);
    if (bytes != tensor.buffer()->size()) {
        refuse(fmt::format("{} bytes for a tensor of {} bytes", bytes, tensor.buffer()->size()),
               here);
    }
    auto& queue = device->mesh_command_queue(0, here);
    queue.enqueue_write_mesh_buffer(tensor.buffer_, pages, true, here);
    return tensor;
}

std::vector<uint8_t> Tensor::to_pages(std::source_location here) const {
    std::vector<uint8_t> bytes(buffer()->size());
    auto& queue = device()->mesh_command_queue(0, here);
    queue.enqueue_read_mesh_buffer(bytes.data(), buffer_, true, here);
    return bytes;
}

}  // namespace tt::tt_metal
