// What a device's allocator tells of its memories.
#pragma once

#include <cstdint>

#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/hal_types.hpp>

namespace tt::tt_metal {

class IDevice;

class Allocator {
public:
    explicit Allocator(const IDevice* device) : device_(device) {}

    uint32_t get_alignment(BufferType type) const;
    DeviceAddr get_base_allocator_addr(const HalMemType& memory) const;
    uint32_t get_num_banks(const BufferType& type) const;
    DeviceAddr get_bank_size(const BufferType& type) const;

private:
    const IDevice* device_;
};

}  // namespace tt::tt_metal
