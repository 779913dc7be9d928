// Sizes of tiles and faces.
#pragma once

#include <array>
#include <cstdint>

namespace tt::constants {

constexpr uint32_t TILE_HEIGHT = 32;
constexpr uint32_t TILE_WIDTH = 32;
constexpr uint32_t TILE_HW = TILE_WIDTH * TILE_HEIGHT;
constexpr uint32_t FACE_HEIGHT = 16;
constexpr uint32_t FACE_WIDTH = 16;
constexpr uint32_t FACE_HW = FACE_WIDTH * FACE_HEIGHT;
constexpr std::array<uint32_t, 2> TILE_SHAPE = {TILE_HEIGHT, TILE_WIDTH};

}  // namespace tt::constants
