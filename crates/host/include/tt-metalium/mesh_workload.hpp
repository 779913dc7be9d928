// Programs and the devices that run them.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/program.hpp>

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinateRange& range) const {
        std::size_t all = 17;
        for (uint32_t c : range.start_coord().coords()) { all = all * 31 + c; }
        for (uint32_t c : range.end_coord().coords()) { all = all * 31 + c; }
        return all;
    }
};

namespace tt::tt_metal::distributed {

class MeshWorkload {
public:
    MeshWorkload();

    void add_program(
        const MeshCoordinateRange& range, Program&& program,
        std::source_location here = std::source_location::current());
    std::unordered_map<MeshCoordinateRange, Program>& get_programs() { return *programs_; }
    const std::unordered_map<MeshCoordinateRange, Program>& get_programs() const {
        return *programs_;
    }

private:
    using Programs = std::unordered_map<MeshCoordinateRange, Program>;

    // Shared with the traces that keep the workload.
    std::shared_ptr<Programs> programs_;
};

}  // namespace tt::tt_metal::distributed
