// From rows of values to tiles of faces, and back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <tt-metalium/constants.hpp>
#include <tt_stl/assert.hpp>
#include <tt_stl/span.hpp>

enum class TensorLayoutType { LIN_ROW_MAJOR = 0, TILED_SWIZZLED = 1, TILED_NFACES = 2 };

using PhysicalSize = std::array<uint32_t, 2>;

namespace tilewright::host {

// Calls `pair(row_major, tiled)` with both places of every value of matrices of 32 by 32 tiles.
template <class Pair>
void each_place(std::size_t values, uint32_t rows, uint32_t columns, bool has_faces, Pair pair) {
    using namespace tt::constants;
    TT_FATAL(rows % TILE_HEIGHT == 0 && columns % TILE_WIDTH == 0,
             "a matrix of {}x{} has no whole number of tiles", rows, columns);
    std::size_t matrix = static_cast<std::size_t>(rows) * columns;
    TT_FATAL(matrix != 0 && values % matrix == 0,
             "{} values are no whole number of matrices of {}x{}", values, rows, columns);
    for (std::size_t base = 0, tiled = 0; base < values; base += matrix) {
        for (uint32_t tile_row = 0; tile_row < rows; tile_row += TILE_HEIGHT) {
            for (uint32_t tile_column = 0; tile_column < columns; tile_column += TILE_WIDTH) {
                for (uint32_t place = 0; place < TILE_HW; place++, tiled++) {
                    uint32_t row = place / TILE_WIDTH, column = place % TILE_WIDTH;
                    if (has_faces) {
                        uint32_t face = place / FACE_HW, inside = place % FACE_HW;
                        row = face / 2 * FACE_HEIGHT + inside / FACE_WIDTH;
                        column = face % 2 * FACE_WIDTH + inside % FACE_WIDTH;
                    }
                    std::size_t at = base + std::size_t{tile_row + row} * columns;
                    pair(at + tile_column + column, tiled);
                }
            }
        }
    }
}

inline void require_usual(
    const std::optional<PhysicalSize>& tile, const std::optional<PhysicalSize>& face,
    bool is_transposed) {
    using namespace tt::constants;
    bool is_usual = tile.value_or(PhysicalSize{TILE_HEIGHT, TILE_WIDTH}) ==
                        PhysicalSize{TILE_HEIGHT, TILE_WIDTH} &&
                    face.value_or(PhysicalSize{FACE_HEIGHT, FACE_WIDTH}) ==
                        PhysicalSize{FACE_HEIGHT, FACE_WIDTH};
    TT_FATAL(is_usual && !is_transposed, "tiles other than 32x32 of faces 16x16 are not modelled");
}

template <class T>
std::vector<T> tilized(const std::vector<T>& from, uint32_t m, uint32_t n, bool has_faces) {
    std::vector<T> to(from.size());
    each_place(from.size(), m, n, has_faces, [&](auto row, auto tile) { to[tile] = from[row]; });
    return to;
}

template <class T>
std::vector<T> untilized(const std::vector<T>& from, uint32_t m, uint32_t n, bool has_faces) {
    std::vector<T> to(from.size());
    each_place(from.size(), m, n, has_faces, [&](auto row, auto tile) { to[row] = from[tile]; });
    return to;
}

}  // namespace tilewright::host

// Tiles of faces from tiles of rows, and back. Other shapes of tiles and faces are not modelled.
template <class T>
std::vector<T> convert_layout_tile_swizzled_to_tile_nfaces(
    ttsl::Span<const T> tiles, std::optional<PhysicalSize> tile_shape = std::nullopt,
    std::optional<PhysicalSize> face_shape = std::nullopt, bool transpose_face = false,
    bool transpose_face_order = false) {
    tilewright::host::require_usual(tile_shape, face_shape, transpose_face || transpose_face_order);
    std::vector<T> rows(tiles.begin(), tiles.end());
    return tilewright::host::tilized(rows, tt::constants::TILE_HEIGHT, tt::constants::TILE_WIDTH, true);
}

template <class T>
std::vector<T> convert_layout_tile_nfaces_to_tile_swizzled(
    ttsl::Span<const T> tiles, std::optional<PhysicalSize> tile_shape = std::nullopt,
    std::optional<PhysicalSize> face_shape = std::nullopt, bool transpose_face = false,
    bool transpose_face_order = false) {
    tilewright::host::require_usual(tile_shape, face_shape, transpose_face || transpose_face_order);
    std::vector<T> faces(tiles.begin(), tiles.end());
    return tilewright::host::untilized(faces, tt::constants::TILE_HEIGHT, tt::constants::TILE_WIDTH, true);
}

template <class T>
std::vector<T> convert_layout(
    ttsl::Span<const T> values, const PhysicalSize& shape, TensorLayoutType from,
    TensorLayoutType to, std::optional<PhysicalSize> tile_shape = std::nullopt,
    std::optional<PhysicalSize> face_shape = std::nullopt, bool transpose_within_face = false,
    bool transpose_of_faces = false) {
    tilewright::host::require_usual(
        tile_shape, face_shape, transpose_within_face || transpose_of_faces);
    std::vector<T> all(values.begin(), values.end());
    if (from != TensorLayoutType::LIN_ROW_MAJOR) {
        bool has_faces = from == TensorLayoutType::TILED_NFACES;
        all = tilewright::host::untilized(all, shape[0], shape[1], has_faces);
    }
    if (to != TensorLayoutType::LIN_ROW_MAJOR) {
        bool has_faces = to == TensorLayoutType::TILED_NFACES;
        all = tilewright::host::tilized(all, shape[0], shape[1], has_faces);
    }
    return all;
}

template <class T>
std::vector<T> tilize_nfaces(const std::vector<T>& input, uint32_t m, uint32_t n) {
    return tilewright::host::tilized(input, m, n, true);
}

template <class T>
std::vector<T> untilize_nfaces(const std::vector<T>& input, uint32_t m, uint32_t n) {
    return tilewright::host::untilized(input, m, n, true);
}

template <class T>
std::vector<T> tilize_swizzled(const std::vector<T>& input, uint32_t m, uint32_t n) {
    return tilewright::host::tilized(input, m, n, false);
}

template <class T>
std::vector<T> untilize_swizzled(const std::vector<T>& input, uint32_t m, uint32_t n) {
    return tilewright::host::untilized(input, m, n, false);
}
