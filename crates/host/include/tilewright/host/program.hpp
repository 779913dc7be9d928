// What is in a program; host programs see its handles alone.
#pragma once

#include <string>
#include <vector>

#include <tilewright/host/site.hpp>
#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/program.hpp>
#include <tt-metalium/runtime_args_data.hpp>

namespace tt::tt_metal {

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

}  // namespace tt::tt_metal
