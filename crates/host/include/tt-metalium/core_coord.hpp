// Cores, rectangles of cores, and sets of rectangles.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <tt_stl/span.hpp>

namespace tt {

struct xy_pair {
    constexpr xy_pair() = default;
    constexpr xy_pair(std::size_t x, std::size_t y) : x(x), y(y) {}
    constexpr auto operator<=>(const xy_pair& other) const {
        return y == other.y ? x <=> other.x : y <=> other.y;
    }
    constexpr bool operator==(const xy_pair&) const = default;
    std::string str() const { return "(x=" + std::to_string(x) + ",y=" + std::to_string(y) + ")"; }

    std::size_t x = 0;
    std::size_t y = 0;
};

}  // namespace tt

using tt_xy_pair = tt::xy_pair;

namespace tt::tt_metal {

using CoreCoord = tt_xy_pair;
class CoreRangeSet;

class CoreRange {
public:
    CoreCoord start_coord;
    CoreCoord end_coord;

    CoreRange(const CoreCoord& point) : start_coord(point), end_coord(point) {}
    CoreRange(const CoreCoord& start, const CoreCoord& end);

    bool contains(const CoreCoord& core) const;
    bool contains(const CoreRange& other) const;
    bool contains(const CoreRangeSet& other) const;
    std::optional<CoreRange> intersection(const CoreRange& other) const;
    bool intersects(const CoreRange& other) const { return intersection(other).has_value(); }
    std::string str() const;
    std::size_t size() const { return grid_size().x * grid_size().y; }
    CoreCoord grid_size() const {
        return {end_coord.x - start_coord.x + 1, end_coord.y - start_coord.y + 1};
    }

    // The cores, row by row.
    class CoreIterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = CoreCoord;
        using difference_type = std::ptrdiff_t;
        using pointer = CoreCoord*;
        using reference = CoreCoord&;

        CoreIterator(const CoreCoord& current, const CoreRange& range)
            : current_(current), range_(&range) {}
        CoreCoord& operator*() { return current_; }
        CoreIterator& operator++();
        bool operator==(const CoreIterator& other) const { return current_ == other.current_; }

    private:
        CoreCoord current_;
        const CoreRange* range_;
    };
    CoreIterator begin() const { return {start_coord, *this}; }
    CoreIterator end() const { return {{start_coord.x, end_coord.y + 1}, *this}; }

    bool operator==(const CoreRange&) const = default;
    auto operator<=>(const CoreRange&) const = default;
};

class CoreRangeSet {
public:
    CoreRangeSet() = default;
    CoreRangeSet(const CoreRange& range) : ranges_{range} {}
    CoreRangeSet(std::initializer_list<CoreRange> ranges);
    CoreRangeSet(const std::set<CoreRange>& ranges);
    CoreRangeSet(std::vector<CoreRange> ranges);
    CoreRangeSet(ttsl::Span<const CoreCoord> cores);
    CoreRangeSet(const std::vector<CoreCoord>& cores) : CoreRangeSet(std::span(cores)) {}

    bool empty() const { return ranges_.empty(); }
    std::size_t size() const { return ranges_.size(); }
    uint32_t num_cores() const;
    const std::vector<CoreRange>& ranges() const { return ranges_; }
    CoreRange bounding_box() const;
    CoreRangeSet merge_ranges() const;
    CoreRangeSet merge(const CoreRangeSet& other) const;
    CoreRangeSet subtract(const CoreRangeSet& other) const;
    CoreRangeSet intersection(const CoreRangeSet& other) const;
    bool intersects(const CoreRangeSet& other) const { return !intersection(other).empty(); }
    bool contains(const CoreCoord& core) const;
    bool contains(const CoreRangeSet& other) const;
    std::string str() const;

    bool operator==(const CoreRangeSet&) const = default;

private:
    void validate_no_overlap() const;

    std::vector<CoreRange> ranges_;
};

inline std::ostream& operator<<(std::ostream& to, const CoreRange& range) {
    return to << range.str();
}
inline std::ostream& operator<<(std::ostream& to, const CoreRangeSet& set) {
    return to << set.str();
}

std::vector<CoreCoord> grid_to_cores(
    uint32_t num_cores, uint32_t grid_size_x, uint32_t grid_size_y, bool row_wise = false);
std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise = false);
std::vector<CoreCoord> corerange_to_cores(
    const CoreRangeSet& set, std::optional<uint32_t> max_cores = std::nullopt,
    bool row_wise = false);

}  // namespace tt::tt_metal

namespace tt {

inline std::ostream& operator<<(std::ostream& to, const xy_pair& core) { return to << core.str(); }

}  // namespace tt

using tt::tt_metal::corerange_to_cores;
using tt::tt_metal::CoreCoord;
using tt::tt_metal::CoreRange;
using tt::tt_metal::CoreRangeSet;
using tt::tt_metal::grid_to_cores;

template <>
struct std::hash<tt::xy_pair> {
    std::size_t operator()(const tt::xy_pair& core) const { return core.y * 4099 + core.x; }
};

template <>
struct std::hash<tt::tt_metal::CoreRange> {
    std::size_t operator()(const tt::tt_metal::CoreRange& range) const {
        std::hash<tt::xy_pair> core;
        return core(range.start_coord) * 31 + core(range.end_coord);
    }
};
