// Programs that are described as a whole: kernels and where they run. Dataflow buffers, semaphores
// and tensors of such descriptions are not modelled, and have no names here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>

namespace tt::tt_metal::experimental {

template <class T>
using Group = std::vector<T>;
template <class Key, class Value>
using Table = std::map<Key, Value>;

using NodeCoord = CoreCoord;
using NodeRange = CoreRange;
using NodeRangeSet = CoreRangeSet;
using Nodes = CoreSpec;

struct KernelSpecName {
    std::string name;
    auto operator<=>(const KernelSpecName&) const = default;
};

struct DataMovementGen1Config {
    DataMovementProcessor processor;
    NOC noc;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
};

// Of another generation of chips, which is refused.
struct DataMovementGen2Config {};
using DataMovementHardwareConfig = std::variant<DataMovementGen1Config, DataMovementGen2Config>;

enum class Precision : uint8_t { Approximate, Precise };

struct ComputeGen1Config {
    MathFidelity fpu_math_fidelity = MathFidelity::HiFi4;
    Precision sfpu_precision_mode = Precision::Precise;
    Precision bfp_pack_precision_mode = Precision::Approximate;
    bool enable_32_bit_dest = false;
    bool double_buffer_dest = true;
};

struct ComputeGen2Config {};
using ComputeHardwareConfig = std::variant<ComputeGen1Config, ComputeGen2Config>;

struct KernelSpec {
    KernelSpecName unique_id;
    struct SourceCode {
        std::string code;
    };
    std::variant<std::filesystem::path, SourceCode> source;
    uint32_t num_threads = 1;
    struct CompilerOptions {
        using IncludePaths = std::vector<std::filesystem::path>;
        using Defines = Table<std::string, std::string>;
        using OptLevel = KernelBuildOptLevel;
        IncludePaths include_paths;
        Defines defines;
        OptLevel opt_level = OptLevel::O2;
    };
    CompilerOptions compiler_options = {};
    using CompileTimeArgs = Table<std::string, uint32_t>;
    CompileTimeArgs compile_time_args;
    std::variant<DataMovementHardwareConfig, ComputeHardwareConfig> hw_config;
};

struct WorkUnitSpec {
    std::string name;
    Group<KernelSpecName> kernels;
    Nodes target_nodes;
};

struct ProgramSpec {
    std::string name;
    Group<KernelSpec> kernels;
    Group<WorkUnitSpec> work_units;
};

// Kernels without arguments of their own have none to set.
struct ProgramRunArgs {};

Program MakeProgramFromSpec(
    distributed::MeshDevice& device, const ProgramSpec& spec, bool skip_validation = false,
    std::source_location here = std::source_location::current());

inline void SetProgramRunArgs(Program&, const ProgramRunArgs&, bool = false) {}

}  // namespace tt::tt_metal::experimental
