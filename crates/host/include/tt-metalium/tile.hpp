// Shapes of tiles.
#pragma once

#include <array>
#include <cstdint>

#include <tt-metalium/constants.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal {

class Tile {
public:
    Tile(std::array<uint32_t, 2> shape = constants::TILE_SHAPE, bool = false) : shape_(shape) {}

    uint32_t get_height() const { return shape_[0]; }
    uint32_t get_width() const { return shape_[1]; }
    uint32_t get_tile_hw() const { return shape_[0] * shape_[1]; }
    std::array<uint32_t, 2> get_tile_shape() const { return shape_; }
    uint32_t get_tile_size(const DataFormat& format) const {
        return tile_size(format) * get_tile_hw() / constants::TILE_HW;
    }
    bool operator==(const Tile&) const = default;

private:
    std::array<uint32_t, 2> shape_;
};

}  // namespace tt::tt_metal
