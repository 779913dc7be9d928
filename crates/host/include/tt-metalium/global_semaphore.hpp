// Semaphores that outlive a program: a word at the same address in the L1 of several cores.
#pragma once

#include <cstdint>
#include <memory>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/mesh_device.hpp>

namespace tt::tt_metal {

class GlobalSemaphore {
public:
    GlobalSemaphore(
        distributed::MeshDevice& device, CoreRangeSet cores, uint32_t initial_value,
        BufferType buffer_type = BufferType::L1,
        std::source_location here = std::source_location::current())
        : GlobalSemaphore(&device, cores, initial_value, buffer_type, here) {}
    GlobalSemaphore(
        IDevice* device, const CoreRangeSet& cores, uint32_t initial_value,
        BufferType buffer_type = BufferType::L1,
        std::source_location here = std::source_location::current());

    IDevice* device() const { return words_->device(); }
    DeviceAddr address() const { return words_->address(); }
    void reset_semaphore_value(
        uint32_t value, std::source_location here = std::source_location::current()) const;

private:
    // A page for each core.
    std::shared_ptr<Buffer> words_;
};

inline GlobalSemaphore CreateGlobalSemaphore(
    distributed::MeshDevice& device, CoreRangeSet cores, uint32_t initial_value,
    BufferType buffer_type = BufferType::L1,
    std::source_location here = std::source_location::current()) {
    return {device, std::move(cores), initial_value, buffer_type, here};
}
inline GlobalSemaphore CreateGlobalSemaphore(
    IDevice* device, const CoreRangeSet& cores, uint32_t initial_value,
    BufferType buffer_type = BufferType::L1,
    std::source_location here = std::source_location::current()) {
    return {device, cores, initial_value, buffer_type, here};
}

}  // namespace tt::tt_metal
