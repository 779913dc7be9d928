// Queues of commands. A command is done when its call returns, so that queues are always in order
// and nothing is left to wait for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_workload.hpp>

namespace tt::tt_metal::distributed {

class MeshEvent {
public:
    MeshEvent(uint32_t id, MeshDevice* device) : id_(id), device_(device) {}

    uint32_t id() const { return id_; }
    MeshDevice* device() const { return device_; }

private:
    uint32_t id_;
    MeshDevice* device_;
};

class MeshCommandQueue {
public:
    MeshCommandQueue(MeshDevice* device, uint32_t id) : device_(device), id_(id) {}

    MeshDevice* device() const { return device_; }
    uint32_t id() const { return id_; }

    void enqueue_mesh_workload(
        MeshWorkload& workload, bool blocking,
        std::source_location here = std::source_location::current());
    void enqueue_write_mesh_buffer(
        const std::shared_ptr<MeshBuffer>& buffer, const void* data, bool blocking,
        std::source_location here = std::source_location::current());
    void enqueue_read_mesh_buffer(
        void* data, const std::shared_ptr<MeshBuffer>& buffer, bool blocking,
        std::source_location here = std::source_location::current());
    void write_shard(const MeshBuffer& buffer, const MeshCoordinate& at, const void* data,
                     std::size_t bytes, const tilewright::host::Location& here);
    void read_shard(const MeshBuffer& buffer, const MeshCoordinate& at, void* data,
                    const tilewright::host::Location& here);
    MeshEvent enqueue_record_event() { return {++events_, device_}; }
    MeshEvent enqueue_record_event_to_host() { return {++events_, device_}; }
    void enqueue_wait_for_event(const MeshEvent&) {}
    void finish(std::source_location here = std::source_location::current());

private:
    MeshDevice* device_;
    uint32_t id_;
    uint32_t events_ = 0;
};

}  // namespace tt::tt_metal::distributed
