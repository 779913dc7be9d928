// Programs: kernels, circular buffers and semaphores, collected until they are launched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <tilewright/host/site.hpp>
#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/runtime_args_data.hpp>

namespace tt::tt_metal {

using ProgramId = std::uint64_t;
using CoreSpec = std::variant<CoreCoord, CoreRange, CoreRangeSet>;
using KernelConfig = std::variant<DataMovementConfig, ComputeConfig>;

// The cores of any way to name some.
CoreRangeSet cores_of(const CoreSpec& spec);

namespace detail {

struct Kernel {
    std::string file;
    std::string text;
    std::string folder;
    CoreRangeSet cores;
    KernelConfig config;
    std::vector<std::vector<RuntimeArgsData>> args;
    RuntimeArgsData common;
    tilewright::host::Location site;
};

struct Ring {
    CircularBufferConfig config;
    CoreRangeSet cores;
    tilewright::host::Location site;
};

struct Semaphore {
    uint32_t id;
    CoreRangeSet cores;
    uint32_t initial;
};

class ProgramImpl {
public:
    std::vector<Kernel> kernels;
    std::vector<Ring> rings;
    std::vector<Semaphore> semaphores;
    ProgramId runtime_id = 0;

    Kernel& kernel(KernelHandle handle, const tilewright::host::Location& here);
    Ring& ring(CBHandle handle, const tilewright::host::Location& here);
    // The program as the simulator reads it.
    std::string describe() const;
};

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

    void set_runtime_id(ProgramId id) { impl().runtime_id = id; }
    ProgramId get_runtime_id() const { return impl().runtime_id; }

    // Refuses a program that has been moved away.
    detail::ProgramImpl& impl(
        std::source_location here = std::source_location::current()) const;

private:
    std::shared_ptr<detail::ProgramImpl> impl_;
};

}  // namespace tt::tt_metal
