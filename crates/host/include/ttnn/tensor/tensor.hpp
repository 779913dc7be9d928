// Tensors on a device: a buffer and what its pages mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/math.hpp>
#include <ttnn/tensor/types.hpp>

namespace tt::tt_metal {

class Tensor {
public:
    Tensor() = default;
    Tensor(TensorSpec spec, std::shared_ptr<distributed::MeshBuffer> buffer)
        : spec_(std::move(spec)), buffer_(std::move(buffer)) {}

    const Shape& logical_shape() const { return tensor_spec().logical_shape(); }
    Shape padded_shape() const { return tensor_spec().padded_shape(); }
    DataType dtype() const { return tensor_spec().data_type(); }
    Layout layout() const { return tensor_spec().layout(); }
    const TensorSpec& tensor_spec() const {
        TT_FATAL(spec_.has_value(), "the tensor is empty");
        return *spec_;
    }
    const MemoryConfig& memory_config() const { return tensor_spec().memory_config(); }
    uint64_t logical_volume() const { return logical_shape().volume(); }
    uint64_t physical_volume() const { return padded_shape().volume(); }
    uint32_t element_size() const { return datum_size(datatype_to_dataformat_converter(dtype())); }
    bool is_sharded() const { return memory_config().is_sharded(); }
    bool is_allocated() const { return buffer_ && buffer_->is_allocated(); }
    Buffer* buffer() const { return mesh_buffer()->get_backing_buffer(); }
    const std::shared_ptr<distributed::MeshBuffer>& mesh_buffer() const {
        TT_FATAL(buffer_ != nullptr, "the tensor is not on a device");
        return buffer_;
    }
    distributed::MeshDevice* device() const { return mesh_buffer()->device(); }
    std::optional<ShardSpec> shard_spec() const { return memory_config().shard_spec(); }

    // A tensor on a device, with the bytes of its pages as they are: tiles in order of their faces,
    // padded.
    static Tensor from_pages(
        const TensorSpec& spec, distributed::MeshDevice* device, const void* pages,
        std::size_t bytes, std::source_location here = std::source_location::current());
    // The bytes of its pages.
    std::vector<uint8_t> to_pages(
        std::source_location here = std::source_location::current()) const;

private:
    std::optional<TensorSpec> spec_;
    std::shared_ptr<distributed::MeshBuffer> buffer_;
};

// Memory for a tensor; what it holds is undefined.
Tensor create_device_tensor(
    const TensorSpec& spec, distributed::MeshDevice* device,
    std::source_location here = std::source_location::current());

}  // namespace tt::tt_metal

namespace ttnn {

using tt::tt_metal::create_device_tensor;
using tt::tt_metal::Tensor;

}  // namespace ttnn
