// Circular buffers as host programs describe them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include <tilewright/host/site.hpp>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_constants.h>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal {

using CBHandle = uintptr_t;

class CircularBufferConfig {
public:
    // One index of the buffer.
    struct Part {
        tt::DataFormat format;
        std::optional<uint32_t> page_size;
        std::optional<Tile> tile;
    };

    explicit CircularBufferConfig(uint32_t total_size) : total_size_(total_size) {}
    CircularBufferConfig(
        uint32_t total_size, const std::map<uint8_t, tt::DataFormat>& formats,
        std::source_location here = std::source_location::current());
    CircularBufferConfig(
        uint32_t total_size, const std::map<uint8_t, tt::DataFormat>& formats,
        const Buffer& buffer, std::source_location here = std::source_location::current())
        : CircularBufferConfig(total_size, formats, here) {
        set_globally_allocated_address(buffer, here);
    }

    CircularBufferConfig& set_page_size(
        uint8_t index, uint32_t page_size,
        std::source_location here = std::source_location::current());
    CircularBufferConfig& set_total_size(uint32_t total_size) {
        total_size_ = total_size;
        return *this;
    }
    CircularBufferConfig& set_globally_allocated_address(
        const Buffer& buffer, std::source_location here = std::source_location::current());
    CircularBufferConfig& set_globally_allocated_address_and_total_size(
        const Buffer& buffer, uint32_t total_size,
        std::source_location here = std::source_location::current()) {
        total_size_ = total_size;
        return set_globally_allocated_address(buffer, here);
    }
    CircularBufferConfig& set_tile_dims(
        uint8_t index, const Tile& tile,
        std::source_location here = std::source_location::current());

    uint32_t total_size() const { return total_size_; }
    uint32_t address_offset() const { return address_offset_; }
    void set_address_offset(uint32_t offset) { address_offset_ = offset; }
    std::optional<uint32_t> globally_allocated_address() const {
        return buffer_ ? std::optional<uint32_t>(buffer_->address()) : std::nullopt;
    }
    const Buffer* buffer() const { return buffer_; }
    const std::map<uint8_t, Part>& parts() const { return parts_; }

private:
    Part& part(uint8_t index, const tilewright::host::Location& here);

    uint32_t total_size_;
    uint32_t address_offset_ = 0;
    std::map<uint8_t, Part> parts_;
    const Buffer* buffer_ = nullptr;
};

}  // namespace tt::tt_metal
