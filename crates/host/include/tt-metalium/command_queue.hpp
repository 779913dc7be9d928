// Queues of one device, as programs name them that are older than meshes.
#pragma once

#include <memory>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tt_metal.hpp>

namespace tt::tt_metal {

using CommandQueue = distributed::MeshCommandQueue;
using distributed::Finish;

inline void EnqueueProgram(
    CommandQueue& queue, Program& program, bool blocking,
    std::source_location here = std::source_location::current()) {
    detail::LaunchProgram(queue.device(), program, blocking, false, here);
}

template <class T>
void EnqueueWriteBuffer(
    CommandQueue&, const std::shared_ptr<Buffer>& buffer, const std::vector<T>& values, bool,
    std::source_location here = std::source_location::current()) {
    detail::WriteToBuffer(*buffer, values, here);
}
template <class T>
void EnqueueWriteBuffer(
    CommandQueue&, Buffer& buffer, const std::vector<T>& values, bool,
    std::source_location here = std::source_location::current()) {
    detail::WriteToBuffer(buffer, values, here);
}
inline void EnqueueWriteBuffer(
    CommandQueue&, const std::shared_ptr<Buffer>& buffer, const void* bytes, bool,
    std::source_location here = std::source_location::current()) {
    auto first = static_cast<const uint8_t*>(bytes);
    detail::WriteToBuffer(*buffer, ttsl::Span<const uint8_t>(first, buffer->size()), here);
}

template <class T>
void EnqueueReadBuffer(
    CommandQueue&, const std::shared_ptr<Buffer>& buffer, std::vector<T>& values, bool,
    std::source_location here = std::source_location::current()) {
    detail::ReadFromBuffer(*buffer, values, here);
}
template <class T>
void EnqueueReadBuffer(
    CommandQueue&, Buffer& buffer, std::vector<T>& values, bool,
    std::source_location here = std::source_location::current()) {
    detail::ReadFromBuffer(buffer, values, here);
}
inline void EnqueueReadBuffer(
    CommandQueue&, const std::shared_ptr<Buffer>& buffer, void* to, bool,
    std::source_location here = std::source_location::current()) {
    detail::ReadFromBuffer(*buffer, static_cast<uint8_t*>(to), here);
}

}  // namespace tt::tt_metal
