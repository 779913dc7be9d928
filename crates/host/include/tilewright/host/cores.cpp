// Rectangles of cores, and work dealt out to them.

#include <algorithm>
#include <string>

#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/work_split.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal {

CoreRange::CoreRange(const CoreCoord& start, const CoreCoord& end)
    : start_coord(start), end_coord(end) {
    TT_FATAL(end.x >= start.x && end.y >= start.y,
             "core range from {} to {}: its end lies before its start", start.str(), end.str());
}

bool CoreRange::contains(const CoreCoord& core) const {
    return core.x >= start_coord.x && core.x <= end_coord.x && core.y >= start_coord.y &&
           core.y <= end_coord.y;
}

bool CoreRange::contains(const CoreRange& other) const {
    return contains(other.start_coord) && contains(other.end_coord);
}

bool CoreRange::contains(const CoreRangeSet& other) const {
    return std::ranges::all_of(other.ranges(), [&](const auto& range) { return contains(range); });
}

std::optional<CoreRange> CoreRange::intersection(const CoreRange& other) const {
    CoreCoord start(std::max(start_coord.x, other.start_coord.x),
                    std::max(start_coord.y, other.start_coord.y));
    CoreCoord end(std::min(end_coord.x, other.end_coord.x),
                  std::min(end_coord.y, other.end_coord.y));
    if (start.x > end.x || start.y > end.y) { return std::nullopt; }
    return CoreRange(start, end);
}

std::string CoreRange::str() const {
    return "[" + start_coord.str() + " - " + end_coord.str() + "]";
}

CoreRange::CoreIterator& CoreRange::CoreIterator::operator++() {
    if (current_.x == range_->end_coord.x) {
        current_ = CoreCoord(range_->start_coord.x, current_.y + 1);
    } else {
        current_.x++;
    }
    return *this;
}

CoreRangeSet::CoreRangeSet(std::initializer_list<CoreRange> ranges) : ranges_(ranges) {
    validate_no_overlap();
}

CoreRangeSet::CoreRangeSet(const std::set<CoreRange>& ranges)
    : ranges_(ranges.begin(), ranges.end()) {
    validate_no_overlap();
}

CoreRangeSet::CoreRangeSet(std::vector<CoreRange> ranges) : ranges_(std::move(ranges)) {
    validate_no_overlap();
}

CoreRangeSet::CoreRangeSet(ttsl::Span<const CoreCoord> cores) {
    // Cores become as few rectangles as rows and equal rows allow.
    std::set<CoreCoord> sorted(cores.begin(), cores.end());
    TT_FATAL(sorted.size() == cores.size(), "a core is named twice");
    for (const CoreCoord& core : sorted) {
        bool follows = !ranges_.empty() && ranges_.back().end_coord.y == core.y &&
                       ranges_.back().end_coord.x + 1 == core.x;
        if (follows) {
            ranges_.back().end_coord.x++;
        } else {
            ranges_.emplace_back(core);
        }
    }
    std::vector<CoreRange> merged;
    for (const CoreRange& row : ranges_) {
        auto above = std::ranges::find_if(merged, [&](const CoreRange& it) {
            return it.start_coord.x == row.start_coord.x && it.end_coord.x == row.end_coord.x &&
                   it.end_coord.y + 1 == row.start_coord.y;
        });
        if (above == merged.end()) {
            merged.push_back(row);
        } else {
            above->end_coord.y = row.end_coord.y;
        }
    }
    ranges_ = std::move(merged);
}

void CoreRangeSet::validate_no_overlap() const {
    for (auto first = ranges_.begin(); first != ranges_.end(); ++first) {
        for (auto second = first + 1; second != ranges_.end(); ++second) {
            TT_FATAL(!first->intersects(*second), "core ranges {} and {} overlap", first->str(),
                     second->str());
        }
    }
}

uint32_t CoreRangeSet::num_cores() const {
    std::size_t all = 0;
    for (const CoreRange& range : ranges_) { all += range.size(); }
    return all;
}

CoreRange CoreRangeSet::bounding_box() const {
    TT_FATAL(!empty(), "an empty set of cores has no bounding box");
    CoreRange box = ranges_[0];
    for (const CoreRange& range : ranges_) {
        box.start_coord = CoreCoord(std::min(box.start_coord.x, range.start_coord.x),
                                    std::min(box.start_coord.y, range.start_coord.y));
        box.end_coord = CoreCoord(std::max(box.end_coord.x, range.end_coord.x),
                                  std::max(box.end_coord.y, range.end_coord.y));
    }
    return box;
}

CoreRangeSet CoreRangeSet::merge_ranges() const {
    return CoreRangeSet(corerange_to_cores(*this));
}

CoreRangeSet CoreRangeSet::merge(const CoreRangeSet& other) const {
    std::set<CoreCoord> all;
    for (const CoreCoord& core : corerange_to_cores(*this)) { all.insert(core); }
    for (const CoreCoord& core : corerange_to_cores(other)) { all.insert(core); }
    return CoreRangeSet(std::vector<CoreCoord>(all.begin(), all.end()));
}

CoreRangeSet CoreRangeSet::subtract(const CoreRangeSet& other) const {
    std::vector<CoreCoord> left;
    for (const CoreCoord& core : corerange_to_cores(*this)) {
        if (!other.contains(core)) { left.push_back(core); }
    }
    return CoreRangeSet(left);
}

CoreRangeSet CoreRangeSet::intersection(const CoreRangeSet& other) const {
    std::vector<CoreCoord> both;
    for (const CoreCoord& core : corerange_to_cores(*this)) {
        if (other.contains(core)) { both.push_back(core); }
    }
    return CoreRangeSet(both);
}

bool CoreRangeSet::contains(const CoreCoord& core) const {
    return std::ranges::any_of(ranges_, [&](const auto& range) { return range.contains(core); });
}

bool CoreRangeSet::contains(const CoreRangeSet& other) const {
    auto cores = corerange_to_cores(other);
    return std::ranges::all_of(cores, [&](const auto& core) { return contains(core); });
}

std::string CoreRangeSet::str() const {
    std::string text;
    for (const CoreRange& range : ranges_) { text += (text.empty() ? "{" : ", ") + range.str(); }
    return text.empty() ? "{}" : text + "}";
}

std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise) {
    std::vector<CoreCoord> cores;
    std::size_t lines = row_wise ? end.y - start.y : end.x - start.x;
    std::size_t length = row_wise ? end.x - start.x : end.y - start.y;
    for (std::size_t line = 0; line <= lines; line++) {
        for (std::size_t at = 0; at <= length; at++) {
            cores.push_back(row_wise ? CoreCoord(start.x + at, start.y + line)
                                     : CoreCoord(start.x + line, start.y + at));
        }
    }
    return cores;
}

std::vector<CoreCoord> grid_to_cores(
    uint32_t num_cores, uint32_t grid_size_x, uint32_t grid_size_y, bool row_wise) {
    TT_FATAL(num_cores <= uint64_t{grid_size_x} * grid_size_y,
             "{} cores do not fit a grid of {}x{}", num_cores, grid_size_x, grid_size_y);
    std::vector<CoreCoord> cores;
    for (uint32_t place = 0; place < num_cores; place++) {
        cores.push_back(row_wise ? CoreCoord(place % grid_size_x, place / grid_size_x)
                                 : CoreCoord(place / grid_size_y, place % grid_size_y));
    }
    return cores;
}

std::vector<CoreCoord> corerange_to_cores(
    const CoreRangeSet& set, std::optional<uint32_t> max_cores, bool row_wise) {
    std::vector<CoreCoord> all;
    for (const CoreRange& range : set.ranges()) {
        auto cores = grid_to_cores(range.start_coord, range.end_coord, row_wise);
        all.insert(all.end(), cores.begin(), cores.end());
    }
    if (max_cores && all.size() > *max_cores) { all.resize(*max_cores); }
    return all;
}

int find_max_divisor(uint32_t val, uint32_t start_max_div) {
    uint32_t divisor = start_max_div;
    // tt-metal leaves these two out.
    while (divisor > 1 && (val % divisor != 0 || divisor == 7 || divisor == 5)) { divisor--; }
    return std::max(divisor, 1u);
}

int find_max_block_size(uint32_t val, uint32_t max_block_size) {
    uint32_t size = max_block_size;
    while (size > 1 && val % size != 0) { size--; }
    return std::max(size, 1u);
}

namespace {

// So many cores of a list, in its order, as rectangles of lines.
CoreRangeSet first_cores(const std::vector<CoreCoord>& cores, std::size_t from, std::size_t count,
                         bool row_wise) {
    std::vector<CoreRange> lines;
    for (std::size_t place = from; place < from + count; place++) {
        const CoreCoord& core = cores[place];
        bool follows = false;
        if (!lines.empty()) {
            CoreCoord& end = lines.back().end_coord;
            follows = row_wise ? end.y == core.y && end.x + 1 == core.x
                               : end.x == core.x && end.y + 1 == core.y;
            if (follows) { end = core; }
        }
        if (!follows) { lines.emplace_back(core); }
    }
    std::vector<CoreRange> merged;
    for (const CoreRange& line : lines) {
        bool extends = false;
        if (!merged.empty()) {
            CoreRange& last = merged.back();
            extends = row_wise
                ? last.start_coord.x == line.start_coord.x && last.end_coord.x == line.end_coord.x &&
                      last.end_coord.y + 1 == line.start_coord.y
                : last.start_coord.y == line.start_coord.y && last.end_coord.y == line.end_coord.y &&
                      last.end_coord.x + 1 == line.start_coord.x;
            if (extends) { last.end_coord = line.end_coord; }
        }
        if (!extends) { merged.push_back(line); }
    }
    return CoreRangeSet(std::move(merged));
}

SplitWork split(const std::vector<CoreCoord>& cores, uint32_t units, bool row_wise) {
    if (units == 0) { return {0, {}, {}, {}, 0, 0}; }
    uint32_t used = std::min<std::size_t>(units, cores.size());
    uint32_t least = units / used, more = units % used;
    CoreRangeSet all = first_cores(cores, 0, used, row_wise);
    if (more == 0) { return {used, all, all, {}, least, 0}; }
    return {used, all, first_cores(cores, 0, more, row_wise),
            first_cores(cores, more, used - more, row_wise), least + 1, least};
}

}  // namespace

CoreRangeSet num_cores_to_corerangeset(
    CoreCoord start, uint32_t target, CoreCoord grid, bool row_wise) {
    auto cores = grid_to_cores({0, 0}, {grid.x - 1, grid.y - 1}, row_wise);
    auto first = std::ranges::find(cores, start);
    std::size_t from = first - cores.begin();
    TT_FATAL(from + target <= cores.size(),
             "{} cores do not fit a grid of {}x{} from {} on", target, grid.x, grid.y,
             start.str());
    return first_cores(cores, from, target, row_wise);
}

CoreRangeSet num_cores_to_corerangeset(uint32_t target, CoreCoord grid, bool row_wise) {
    return num_cores_to_corerangeset({0, 0}, target, grid, row_wise);
}

SplitWork split_work_to_cores(CoreCoord grid, uint32_t units, bool row_wise) {
    return split(grid_to_cores({0, 0}, {grid.x - 1, grid.y - 1}, row_wise), units, row_wise);
}

SplitWork split_work_to_cores(const CoreRangeSet& grid, uint32_t units, bool row_wise) {
    return split(corerange_to_cores(grid, std::nullopt, row_wise), units, row_wise);
}

}  // namespace tt::tt_metal
