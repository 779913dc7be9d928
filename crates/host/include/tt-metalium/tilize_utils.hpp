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
