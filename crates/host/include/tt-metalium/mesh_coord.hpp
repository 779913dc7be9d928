// Shapes of meshes of devices, and places in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

#include <tilewright/host/site.hpp>
#include <tt_stl/small_vector.hpp>
#include <tt_stl/span.hpp>

namespace tt::tt_metal::distributed {

class MeshShape {
public:
    explicit MeshShape(uint32_t s0) : sizes_{s0} {}
    MeshShape(uint32_t s0, uint32_t s1) : sizes_{s0, s1} {}
    MeshShape(uint32_t s0, uint32_t s1, uint32_t s2) : sizes_{s0, s1, s2} {}
    explicit MeshShape(std::vector<uint32_t> sizes) : sizes_(std::move(sizes)) {}

    std::size_t dims() const { return sizes_.size(); }
    std::size_t mesh_size() const;
    // Negative dimensions count from the end.
    uint32_t operator[](int32_t dim) const {
        return sizes_.at(dim < 0 ? dim + sizes_.size() : dim);
    }
    auto begin() const { return sizes_.begin(); }
    auto end() const { return sizes_.end(); }
    bool operator==(const MeshShape&) const = default;

private:
    std::vector<uint32_t> sizes_;
};

class MeshCoordinate {
public:
    explicit MeshCoordinate(uint32_t c0) : value_{c0} {}
    MeshCoordinate(uint32_t c0, uint32_t c1) : value_{c0, c1} {}
    MeshCoordinate(uint32_t c0, uint32_t c1, uint32_t c2) : value_{c0, c1, c2} {}
    explicit MeshCoordinate(std::vector<uint32_t> value) : value_(std::move(value)) {}
    static MeshCoordinate zero_coordinate(std::size_t dims) {
        return MeshCoordinate(std::vector<uint32_t>(dims, 0));
    }

    std::size_t dims() const { return value_.size(); }
    ttsl::Span<const uint32_t> coords() const { return value_; }
    uint32_t operator[](int32_t dim) const {
        return value_.at(dim < 0 ? dim + value_.size() : dim);
    }
    uint32_t& operator[](int32_t dim) { return value_.at(dim < 0 ? dim + value_.size() : dim); }
    std::size_t to_linear_index(
        const MeshShape& shape,
        std::source_location here = std::source_location::current()) const;
    bool operator==(const MeshCoordinate&) const = default;
    auto operator<=>(const MeshCoordinate&) const = default;

private:
    std::vector<uint32_t> value_;
};

class MeshCoordinateRange {
public:
    MeshCoordinateRange(
        const MeshCoordinate& start, const MeshCoordinate& end,
        std::source_location here = std::source_location::current());
    explicit MeshCoordinateRange(const MeshShape& shape);
    explicit MeshCoordinateRange(const MeshCoordinate& coord) : start_(coord), end_(coord) {}

    std::size_t dims() const { return start_.dims(); }
    const MeshCoordinate& start_coord() const { return start_; }
    const MeshCoordinate& end_coord() const { return end_; }
    MeshShape shape() const;
    bool contains(const MeshCoordinate& coord) const;
    bool contains(const MeshCoordinateRange& range) const {
        return contains(range.start_) && contains(range.end_);
    }
    bool intersects(const MeshCoordinateRange& range) const {
        return intersection(range).has_value();
    }
    std::optional<MeshCoordinateRange> intersection(const MeshCoordinateRange& range) const;
    bool operator==(const MeshCoordinateRange&) const = default;
    auto operator<=>(const MeshCoordinateRange&) const = default;

    auto begin() const { return coords().begin(); }
    // All places, the last dimension running fastest.
    const std::vector<MeshCoordinate>& coords() const;
    auto end() const { return coords().end(); }

private:
    MeshCoordinate start_;
    MeshCoordinate end_;
    mutable std::vector<MeshCoordinate> coords_;
};

class MeshCoordinateRangeSet {
public:
    MeshCoordinateRangeSet() = default;
    explicit MeshCoordinateRangeSet(const MeshCoordinateRange& range) : ranges_{range} {}

    void merge(const MeshCoordinateRange& range) { ranges_.push_back(range); }
    std::size_t size() const { return ranges_.size(); }
    bool empty() const { return ranges_.empty(); }
    const std::vector<MeshCoordinateRange>& ranges() const { return ranges_; }
    std::vector<MeshCoordinate> coords() const;

private:
    std::vector<MeshCoordinateRange> ranges_;
};

std::ostream& operator<<(std::ostream& to, const MeshShape& shape);
std::ostream& operator<<(std::ostream& to, const MeshCoordinate& coord);
std::ostream& operator<<(std::ostream& to, const MeshCoordinateRange& range);

}  // namespace tt::tt_metal::distributed
