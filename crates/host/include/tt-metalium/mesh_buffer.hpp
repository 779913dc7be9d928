// Buffers of a mesh: the same on every device, or cut into one piece for each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/shape2d.hpp>

namespace tt::tt_metal::distributed {

struct DeviceLocalBufferConfig {
    DeviceAddr page_size = 0;
    BufferType buffer_type = BufferType::DRAM;
    BufferShardingArgs sharding_args;
    std::optional<bool> bottom_up;
    std::optional<SubDeviceId> sub_device_id = std::nullopt;
};

struct ReplicatedBufferConfig {
    DeviceAddr size = 0;
};

struct ShardedBufferConfig {
    DeviceAddr global_size = 0;
    Shape2D global_buffer_shape = {0, 0};
    Shape2D shard_shape = {0, 0};
    ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR;

    // Bytes of one value of the global shape.
    DeviceAddr compute_datum_size_bytes() const {
        return global_size / (global_buffer_shape.height() * global_buffer_shape.width());
    }
};

enum class MeshBufferLayout : uint8_t { REPLICATED, SHARDED };

using MeshBufferConfig = std::variant<ReplicatedBufferConfig, ShardedBufferConfig>;

class MeshBuffer {
public:
    static std::shared_ptr<MeshBuffer> create(
        const MeshBufferConfig& config, const DeviceLocalBufferConfig& local, MeshDevice* device,
        std::optional<DeviceAddr> address = std::nullopt,
        std::source_location here = std::source_location::current());

    bool is_allocated() const { return buffer_->is_allocated(); }
    void deallocate() { buffer_->deallocate(); }
    MeshDevice* device() const { return device_; }
    DeviceAddr size() const;
    DeviceAddr device_local_size() const { return buffer_->size(); }
    DeviceAddr address() const { return buffer_->address(); }
    MeshBufferLayout global_layout() const {
        return static_cast<MeshBufferLayout>(config_.index());
    }
    const MeshBufferConfig& global_config() const { return config_; }
    const ShardedBufferConfig& global_shard_spec() const {
        return std::get<ShardedBufferConfig>(config_);
    }
    const DeviceLocalBufferConfig& device_local_config() const { return local_; }
    Buffer* get_device_buffer(const MeshCoordinate&) const { return buffer_.get(); }
    Buffer* get_reference_buffer() const { return buffer_.get(); }
    Buffer* get_backing_buffer() const { return buffer_.get(); }
    uint32_t page_size() const { return buffer_->page_size(); }
    uint32_t num_pages() const { return buffer_->num_pages(); }
    // Refuses values that are too few to fill it.
    void require_source(std::size_t values, std::size_t value_bytes,
                        const tilewright::host::Location& here) const;

private:
    MeshBuffer(MeshBufferConfig config, DeviceLocalBufferConfig local, MeshDevice* device)
        : config_(std::move(config)), local_(std::move(local)), device_(device) {}

    MeshBufferConfig config_;
    DeviceLocalBufferConfig local_;
    MeshDevice* device_;
    std::shared_ptr<Buffer> buffer_;
};

}  // namespace tt::tt_metal::distributed
