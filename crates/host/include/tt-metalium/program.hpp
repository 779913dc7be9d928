// Programs: kernels, circular buffers and semaphores, collected until they are launched.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include <tilewright/host/site.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/kernel_types.hpp>

namespace tt::tt_metal {

using ProgramId = std::uint64_t;
using CoreSpec = std::variant<CoreCoord, CoreRange, CoreRangeSet>;
using KernelConfig = std::variant<DataMovementConfig, ComputeConfig>;

// The cores of any way to name some.
CoreRangeSet cores_of(const CoreSpec& spec);

namespace detail {
// See tilewright/host/program.hpp.
class ProgramImpl;
}  // namespace detail

struct ProgramDescriptor;

class Program {
public:
    Program();
    // What a description says: see program_descriptors.hpp.
    explicit Program(
        const ProgramDescriptor& descriptor,
        std::source_location here = std::source_location::current());
    Program(Program&&) noexcept = default;
    Program& operator=(Program&&) noexcept = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void set_runtime_id(ProgramId id);
    ProgramId get_runtime_id() const;

    // Refuses a program that has been moved away.
    detail::ProgramImpl& impl(
        std::source_location here = std::source_location::current()) const;

private:
    std::shared_ptr<detail::ProgramImpl> impl_;
};

}  // namespace tt::tt_metal
