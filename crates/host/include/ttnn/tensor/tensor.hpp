// Tensors on a device: a buffer and what its pages mean.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/tilize_utils.hpp>
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
    Buffer* buffer() const { return mesh_buffer().get_backing_buffer(); }
    const distributed::MeshBuffer& mesh_buffer() const {
        TT_FATAL(buffer_ != nullptr, "the tensor is not on a device");
        return *buffer_;
    }
    distributed::MeshDevice* device() const { return mesh_buffer().device(); }
    void deallocate(bool = false) {
        if (buffer_) { buffer_->deallocate(); }
    }
    std::optional<ShardSpec> shard_spec() const { return memory_config().shard_spec(); }

    // A tensor on a device, with the bytes of its pages as they are: tiles in order of their faces,
    // padded.
    static Tensor from_pages(
        const TensorSpec& spec, distributed::MeshDevice* device, const void* pages,
        std::size_t bytes, std::source_location here = std::source_location::current());
    // The bytes of its pages.
    std::vector<uint8_t> to_pages(
        std::source_location here = std::source_location::current()) const;

    // A tensor on a device with values of its logical shape, row by row.
    template <class T>
    static Tensor from_vector(
        const std::vector<T>& values, const TensorSpec& spec,
        distributed::MeshDevice* device = nullptr, std::optional<uint8_t> = std::nullopt,
        T pad_value = T(0), std::source_location here = std::source_location::current()) {
        if (device == nullptr) {
            tilewright::host::refuse("tensors on the host are not modelled: give a device", here);
        }
        auto padded = padded_values(values, spec, pad_value, here);
        auto pages = stored(padded, spec, here);
        return from_pages(spec, device, pages.data(), pages.size(), here);
    }
    template <class T>
    static Tensor from_span(
        ttsl::Span<const T> values, const TensorSpec& spec,
        distributed::MeshDevice* device = nullptr, std::optional<uint8_t> queue = std::nullopt,
        T pad_value = T(0), std::source_location here = std::source_location::current()) {
        std::vector<T> copy(values.begin(), values.end());
        return from_vector(copy, spec, device, queue, pad_value, here);
    }
    // Its values, row by row, without padding.
    template <class T>
    std::vector<T> to_vector(
        std::optional<uint8_t> = std::nullopt,
        std::source_location here = std::source_location::current()) const {
        auto pages = to_pages(here);
        switch (dtype()) {
            case DataType::BFLOAT16: return loaded<T, bfloat16>(pages);
            case DataType::FLOAT32: return loaded<T, float>(pages);
            case DataType::UINT32: return loaded<T, uint32_t>(pages);
            case DataType::INT32: return loaded<T, int32_t>(pages);
            case DataType::UINT16: return loaded<T, uint16_t>(pages);
            case DataType::UINT8: return loaded<T, uint8_t>(pages);
            default: no_values(dtype(), here);
        }
    }

private:
    [[noreturn]] static void no_values(DataType type, const tilewright::host::Location& here);
    // Calls `pair(logical, padded)` with both places of every value.
    template <class Pair>
    static void each_value(const TensorSpec& spec, Pair pair) {
        Shape shape = spec.logical_shape(), padded = spec.padded_shape();
        uint64_t columns = shape.rank() > 0 ? shape[-1] : 1;
        uint64_t rows = shape.rank() > 1 ? shape[-2] : 1;
        uint64_t pitch = padded.rank() > 0 ? padded[-1] : 1;
        uint64_t height = padded.rank() > 1 ? padded[-2] : 1;
        for (uint64_t at = 0; at < shape.volume(); at++) {
            uint64_t row = at / columns;
            pair(at, (row / rows * height + row % rows) * pitch + at % columns);
        }
    }
    template <class T>
    static std::vector<T> padded_values(
        const std::vector<T>& values, const TensorSpec& spec, T pad_value,
        const tilewright::host::Location& here) {
        if (values.size() != spec.logical_shape().volume()) {
            tilewright::host::refuse(
                fmt::format("{} values for a tensor of {}", values.size(), spec.logical_shape()),
                here);
        }
        std::vector<T> all(spec.padded_shape().volume(), pad_value);
        each_value(spec, [&](uint64_t from, uint64_t to) { all[to] = values[from]; });
        return all;
    }
    // Values as a tensor keeps them.
    template <class Kept, class T>
    static std::vector<uint8_t> stored_as(const std::vector<T>& values, const TensorSpec& spec) {
        std::vector<Kept> kept(values.begin(), values.end());
        if (spec.layout() == Layout::TILE) {
            Shape padded = spec.padded_shape();
            kept = tilize_nfaces(kept, padded.volume() / padded[-1], padded[-1]);
        }
        auto first = reinterpret_cast<const uint8_t*>(kept.data());
        return std::vector<uint8_t>(first, first + kept.size() * sizeof(Kept));
    }
    template <class T>
    static std::vector<uint8_t> stored(
        const std::vector<T>& values, const TensorSpec& spec,
        const tilewright::host::Location& here) {
        switch (spec.data_type()) {
            case DataType::BFLOAT16: return stored_as<bfloat16>(values, spec);
            case DataType::FLOAT32: return stored_as<float>(values, spec);
            case DataType::UINT32: return stored_as<uint32_t>(values, spec);
            case DataType::INT32: return stored_as<int32_t>(values, spec);
            case DataType::UINT16: return stored_as<uint16_t>(values, spec);
            case DataType::UINT8: return stored_as<uint8_t>(values, spec);
            default: no_values(spec.data_type(), here);
        }
    }
    template <class T, class Kept>
    std::vector<T> loaded(const std::vector<uint8_t>& pages) const {
        std::vector<Kept> kept(pages.size() / sizeof(Kept));
        std::memcpy(kept.data(), pages.data(), kept.size() * sizeof(Kept));
        if (layout() == Layout::TILE) {
            Shape padded = padded_shape();
            kept = untilize_nfaces(kept, padded.volume() / padded[-1], padded[-1]);
        }
        std::vector<T> values(logical_volume());
        each_value(tensor_spec(), [&](uint64_t to, uint64_t from) {
            values[to] = static_cast<T>(kept[from]);
        });
        return values;
    }

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
