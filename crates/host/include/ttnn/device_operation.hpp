// What an operation's program factory returns: a program, and what it needs to launch it again.
#pragma once

#include <utility>

#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_workload.hpp>

namespace ttnn::device_operation {

template <class Shared>
struct CachedProgram {
    using shared_variables_t = Shared;

    tt::tt_metal::Program program;
    shared_variables_t shared_variables;

    CachedProgram(tt::tt_metal::Program&& program, shared_variables_t&& shared)
        : program(std::move(program)), shared_variables(std::move(shared)) {}
};

}  // namespace ttnn::device_operation
