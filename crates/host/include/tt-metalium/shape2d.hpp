// Height and width.
#pragma once

#include <cstddef>
#include <utility>

namespace tt::tt_metal {

class Shape2D {
public:
    Shape2D(std::size_t height, std::size_t width) : height_(height), width_(width) {}
    Shape2D(const std::pair<std::size_t, std::size_t>& both) : Shape2D(both.first, both.second) {}

    std::size_t height() const { return height_; }
    std::size_t width() const { return width_; }
    bool operator==(const Shape2D&) const = default;

private:
    std::size_t height_;
    std::size_t width_;
};

}  // namespace tt::tt_metal
