// Shapes of tensors.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include <tt_stl/assert.hpp>
#include <tt_stl/small_vector.hpp>

namespace tt::tt_metal {

class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<uint32_t> sizes) : sizes_(sizes) {}
    explicit Shape(std::vector<uint32_t> sizes) : sizes_(std::move(sizes)) {}

    std::size_t rank() const { return sizes_.size(); }
    std::size_t size() const { return sizes_.size(); }
    uint64_t volume() const {
        uint64_t all = 1;
        for (uint32_t size : sizes_) { all *= size; }
        return all;
    }
    // Negative dimensions count from the end.
    uint32_t operator[](int32_t dim) const { return sizes_.at(place(dim)); }
    uint32_t& operator[](int32_t dim) { return sizes_.at(place(dim)); }
    // Ones before the sizes, up to four.
    std::array<uint32_t, 4> to_array_4D() const {
        TT_FATAL(rank() <= 4, "a shape of {} dimensions has more than four", rank());
        std::array<uint32_t, 4> all = {1, 1, 1, 1};
        for (std::size_t dim = 0; dim < rank(); dim++) { all[4 - rank() + dim] = sizes_[dim]; }
        return all;
    }
    auto begin() const { return sizes_.begin(); }
    auto end() const { return sizes_.end(); }
    bool operator==(const Shape&) const = default;

private:
    std::size_t place(int32_t dim) const { return dim < 0 ? dim + sizes_.size() : dim; }

    std::vector<uint32_t> sizes_;
};

inline std::ostream& operator<<(std::ostream& to, const Shape& shape) {
    return to << "Shape([" << fmt::join(shape, ", ") << "])";
}

}  // namespace tt::tt_metal

namespace ttnn {

using tt::tt_metal::Shape;

}  // namespace ttnn
