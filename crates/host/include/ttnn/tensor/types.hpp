// Types, layouts and memory of tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>
#include <ttnn/tensor/shape.hpp>

namespace tt::tt_metal {

enum class DataType {
    BFLOAT16 = 0,
    FLOAT32 = 1,
    UINT32 = 2,
    BFLOAT8_B = 3,
    BFLOAT4_B = 4,
    UINT8 = 5,
    UINT16 = 6,
    INT32 = 7,
    INVALID = 8,
};

enum class Layout { ROW_MAJOR = 0, TILE = 1, INVALID = 2 };

std::string fmt_name(DataType type);
std::string fmt_name(Layout layout);

tt::DataFormat datatype_to_dataformat_converter(DataType type);

class MemoryConfig {
public:
    MemoryConfig() = default;
    MemoryConfig(TensorMemoryLayout layout, BufferType type = BufferType::DRAM,
                 std::optional<ShardSpec> shards = std::nullopt)
        : layout_(layout), type_(type), shards_(std::move(shards)) {}
    explicit MemoryConfig(BufferType type) : type_(type) {}

    TensorMemoryLayout memory_layout() const { return layout_; }
    BufferType buffer_type() const { return type_; }
    const std::optional<ShardSpec>& shard_spec() const { return shards_; }
    bool is_sharded() const { return tt::tt_metal::is_sharded(layout_); }
    bool is_dram() const { return type_ == BufferType::DRAM; }
    bool is_l1() const { return type_ == BufferType::L1; }
    bool operator==(const MemoryConfig&) const = default;

private:
    TensorMemoryLayout layout_ = TensorMemoryLayout::INTERLEAVED;
    BufferType type_ = BufferType::DRAM;
    std::optional<ShardSpec> shards_;
};

class PageConfig {
public:
    PageConfig(Layout layout) : layout_(layout) {}
    Layout get_layout() const { return layout_; }

private:
    Layout layout_;
};

class TensorLayout {
public:
    TensorLayout(DataType type, const PageConfig& page, const MemoryConfig& memory)
        : type_(type), layout_(page.get_layout()), memory_(memory) {}

    DataType get_data_type() const { return type_; }
    Layout get_layout() const { return layout_; }
    const MemoryConfig& get_memory_config() const { return memory_; }

private:
    DataType type_;
    Layout layout_;
    MemoryConfig memory_;
};

class TensorSpec {
public:
    TensorSpec(Shape shape, TensorLayout layout)
        : shape_(std::move(shape)), layout_(std::move(layout)) {}

    const Shape& logical_shape() const { return shape_; }
    // The last two sizes are padded to whole tiles.
    Shape padded_shape() const;
    const TensorLayout& tensor_layout() const { return layout_; }
    DataType data_type() const { return layout_.get_data_type(); }
    Layout layout() const { return layout_.get_layout(); }
    PageConfig page_config() const { return PageConfig(layout()); }
    const MemoryConfig& memory_config() const { return layout_.get_memory_config(); }
    Tile tile() const { return Tile(); }

private:
    Shape shape_;
    TensorLayout layout_;
};

}  // namespace tt::tt_metal

namespace ttnn {

using tt::tt_metal::DataType;
using tt::tt_metal::Layout;
using tt::tt_metal::MemoryConfig;
using tt::tt_metal::PageConfig;
using tt::tt_metal::TensorLayout;
using tt::tt_metal::TensorSpec;

}  // namespace ttnn
