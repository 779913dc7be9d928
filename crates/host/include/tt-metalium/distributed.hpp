// The calls by which a host program moves data and launches workloads.
#pragma once

#include <iostream>
#include <memory>
#include <vector>

#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <tt-metalium/system_mesh.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal::distributed {

inline void EnqueueMeshWorkload(
    MeshCommandQueue& queue, MeshWorkload& workload, bool blocking,
    std::source_location here = std::source_location::current()) {
    queue.enqueue_mesh_workload(workload, blocking, here);
}

template <class T>
void EnqueueWriteMeshBuffer(
    MeshCommandQueue& queue, const std::shared_ptr<MeshBuffer>& buffer,
    const std::vector<T>& source, bool blocking = false,
    std::source_location here = std::source_location::current()) {
    buffer->require_source(source.size(), sizeof(T), here);
    queue.enqueue_write_mesh_buffer(buffer, source.data(), blocking, here);
}

template <class T>
void EnqueueReadMeshBuffer(
    MeshCommandQueue& queue, std::vector<T>& to, const std::shared_ptr<MeshBuffer>& buffer,
    bool blocking = true, std::source_location here = std::source_location::current()) {
    to.resize(buffer->size() / sizeof(T));
    queue.enqueue_read_mesh_buffer(to.data(), buffer, blocking, here);
}

template <class T>
void WriteShard(
    MeshCommandQueue& queue, const std::shared_ptr<MeshBuffer>& buffer,
    const std::vector<T>& source, const MeshCoordinate& at, bool = false,
    std::source_location here = std::source_location::current()) {
    queue.write_shard(*buffer, at, source.data(), source.size() * sizeof(T), here);
}

template <class T>
void ReadShard(
    MeshCommandQueue& queue, std::vector<T>& to, const std::shared_ptr<MeshBuffer>& buffer,
    const MeshCoordinate& at, bool = true,
    std::source_location here = std::source_location::current()) {
    to.resize(buffer->device_local_size() / sizeof(T));
    queue.read_shard(*buffer, at, to.data(), here);
}

inline void EventSynchronize(const MeshEvent&) { tilewright::host::print_now(); }
inline bool EventQuery(const MeshEvent&) { return true; }
inline void Synchronize(MeshDevice*, std::optional<uint8_t>) { tilewright::host::print_now(); }
inline void Synchronize(MeshDevice&, const MeshCommandQueue&) { tilewright::host::print_now(); }
inline void Finish(
    MeshCommandQueue& queue, std::source_location here = std::source_location::current()) {
    queue.finish(here);
}
inline void Finish(
    MeshCommandQueue& queue, ttsl::Span<const SubDeviceId>,
    std::source_location here = std::source_location::current()) {
    queue.finish(here);
}
inline MeshTraceId BeginTraceCapture(MeshDevice* device, uint8_t queue) {
    return device->begin_mesh_trace(queue);
}
inline bool UsingDistributedEnvironment() { return false; }

}  // namespace tt::tt_metal::distributed
