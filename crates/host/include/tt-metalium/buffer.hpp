// Buffers in the memory of a device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tilewright/host/site.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/hal_types.hpp>

namespace tt::tt_metal {

class Allocator;
class IDevice;

struct ShardSpec {
    CoreRangeSet grid;
    std::array<uint32_t, 2> shape;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;

    ShardSpec(const CoreRangeSet& grid, const std::array<uint32_t, 2>& shape,
              const ShardOrientation& orientation = ShardOrientation::ROW_MAJOR)
        : grid(grid), shape(shape), orientation(orientation) {}

    uint32_t num_cores() const { return grid.num_cores(); }
    uint32_t numel() const { return shape[0] * shape[1]; }
    bool operator==(const ShardSpec&) const = default;
};

struct ShardSpecBuffer {
    ShardSpec tensor_shard_spec;
    std::array<uint32_t, 2> page_shape{};
    std::array<uint32_t, 2> tensor2d_shape_in_pages{};

    ShardSpecBuffer(const CoreRangeSet& grid, const std::array<uint32_t, 2>& shard_shape,
                    const ShardOrientation& orientation, const std::array<uint32_t, 2>& page_shape,
                    const std::array<uint32_t, 2>& tensor2d_shape_in_pages)
        : tensor_shard_spec(grid, shard_shape, orientation),
          page_shape(page_shape),
          tensor2d_shape_in_pages(tensor2d_shape_in_pages) {}
    ShardSpecBuffer(const ShardSpec& spec, const std::array<uint32_t, 2>& page_shape,
                    const std::array<uint32_t, 2>& tensor2d_shape_in_pages)
        : tensor_shard_spec(spec),
          page_shape(page_shape),
          tensor2d_shape_in_pages(tensor2d_shape_in_pages) {}

    CoreRangeSet grid() const { return tensor_shard_spec.grid; }
    std::array<uint32_t, 2> shape() const { return tensor_shard_spec.shape; }
    ShardOrientation orientation() const { return tensor_shard_spec.orientation; }
    std::array<uint32_t, 2> shape_in_pages() const {
        return {(shape()[0] + page_shape[0] - 1) / page_shape[0],
                (shape()[1] + page_shape[1] - 1) / page_shape[1]};
    }
    DeviceAddr num_pages() const { return DeviceAddr{shape_in_pages()[0]} * shape_in_pages()[1]; }
};

struct BufferConfig {
    IDevice* device;
    DeviceAddr size;
    DeviceAddr page_size;
    BufferType buffer_type;
};

using InterleavedBufferConfig = BufferConfig;

struct ShardedBufferConfig {
    IDevice* device{};
    DeviceAddr size{};
    DeviceAddr page_size{};
    BufferType buffer_type = BufferType::L1;
    TensorMemoryLayout buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED;
    ShardSpecBuffer shard_parameters;
};

class BufferShardingArgs {
public:
    BufferShardingArgs() = default;
    BufferShardingArgs(std::nullopt_t) {}
    BufferShardingArgs(std::optional<ShardSpecBuffer> spec, TensorMemoryLayout layout)
        : shard_spec_(std::move(spec)), buffer_layout_(layout) {}

    const std::optional<ShardSpecBuffer>& shard_spec() const { return shard_spec_; }
    TensorMemoryLayout buffer_layout() const { return buffer_layout_; }

private:
    std::optional<ShardSpecBuffer> shard_spec_;
    TensorMemoryLayout buffer_layout_ = TensorMemoryLayout::INTERLEAVED;
};

class Buffer : public std::enable_shared_from_this<Buffer> {
public:
    static std::shared_ptr<Buffer> create(
        IDevice* device, DeviceAddr size, DeviceAddr page_size, BufferType buffer_type,
        const BufferShardingArgs& sharding_args = std::nullopt,
        std::optional<bool> bottom_up = std::nullopt,
        std::source_location here = std::source_location::current());
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();

    IDevice* device() const { return device_; }
    Allocator* allocator() const;
    DeviceAddr size() const { return size_; }
    bool is_allocated() const;
    uint32_t address() const { return address_; }
    DeviceAddr page_size() const { return page_size_; }
    uint32_t num_pages() const { return page_size_ == 0 ? 0 : size_ / page_size_; }
    BufferType buffer_type() const { return buffer_type_; }
    bool is_l1() const { return buffer_type_ == BufferType::L1; }
    bool is_dram() const { return buffer_type_ == BufferType::DRAM; }
    TensorMemoryLayout buffer_layout() const { return sharding_.buffer_layout(); }
    uint32_t alignment() const;
    DeviceAddr aligned_page_size() const { return aligned_page_size_; }
    DeviceAddr aligned_size() const { return num_pages() * aligned_page_size_; }
    DeviceAddr aligned_size_per_bank() const { return bank_bytes_; }
    bool has_shard_spec() const { return sharding_.shard_spec().has_value(); }
    ShardSpecBuffer shard_spec(std::source_location here = std::source_location::current()) const;
    std::optional<uint32_t> num_cores() const;
    std::size_t unique_id() const { return id_; }

    // Frees the memory.
    void deallocate();
    // What reports call it.
    const std::string& name() const { return name_; }
    // Refuses a buffer that has been freed, or whose device is closed.
    void require_allocated(const tilewright::host::Location& here) const;

private:
    Buffer(IDevice* device, DeviceAddr size, DeviceAddr page_size, BufferType type,
           const BufferShardingArgs& sharding);

    IDevice* device_;
    DeviceAddr size_;
    DeviceAddr page_size_;
    BufferType buffer_type_;
    BufferShardingArgs sharding_;
    std::weak_ptr<const bool> is_device_open_;
    bool is_freed_ = false;
    uint64_t id_ = 0;
    uint32_t address_ = 0;
    DeviceAddr aligned_page_size_ = 0;
    DeviceAddr bank_bytes_ = 0;
    std::string name_;
};

}  // namespace tt::tt_metal
