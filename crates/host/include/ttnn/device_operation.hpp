// What an operation's program factory returns: programs, and what it needs to launch them again.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>

#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <ttnn/types.hpp>

namespace ttnn::device_operation {

// A program with its variables, or a view of ones that somebody else has.
template <class Shared>
class CachedProgram {
    struct Owned {
        tt::tt_metal::Program program;
        Shared shared_variables;
    };
    // Apart from this, so that the references hold when it moves.
    std::unique_ptr<Owned> owned_;

    CachedProgram(tt::tt_metal::Program& program, Shared& shared)
        : program(program), shared_variables(shared) {}

public:
    using shared_variables_t = Shared;

    tt::tt_metal::Program& program;
    Shared& shared_variables;

    CachedProgram(tt::tt_metal::Program&& program, Shared&& shared)
        : owned_(new Owned{std::move(program), std::move(shared)}),
          program(owned_->program),
          shared_variables(owned_->shared_variables) {}
    CachedProgram(CachedProgram&&) noexcept = default;

    static CachedProgram proxy(tt::tt_metal::Program& program, Shared& shared) {
        return CachedProgram(program, shared);
    }
};

// A workload of programs that differ from device to device.
template <class Shared>
struct CachedMeshWorkload {
    using shared_variables_t = Shared;

    tt::tt_metal::distributed::MeshWorkload workload;
    shared_variables_t shared_variables;

    CachedMeshWorkload(tt::tt_metal::distributed::MeshWorkload&& workload,
                       shared_variables_t&& shared)
        : workload(std::move(workload)), shared_variables(std::move(shared)) {}
};

// The same with variables for each range of devices.
template <class Shared>
struct AdaptedCachedMeshWorkload {
    using Variables =
        std::unordered_map<tt::tt_metal::distributed::MeshCoordinateRange, Shared>;

    tt::tt_metal::distributed::MeshWorkload workload;
    Variables shared_variables;

    AdaptedCachedMeshWorkload(tt::tt_metal::distributed::MeshWorkload&& workload,
                              Variables&& shared)
        : workload(std::move(workload)), shared_variables(std::move(shared)) {}
};

}  // namespace ttnn::device_operation
