// Programs from descriptions of the whole.

#include <algorithm>

#include <tt-metalium/experimental/metal2_host_api/program.hpp>

namespace tt::tt_metal::experimental {

using tilewright::host::Location;
using tilewright::host::refuse;

namespace {

KernelConfig config_of(const KernelSpec& spec, const Location& here) {
    const auto& options = spec.compiler_options;
    std::unordered_map<std::string, uint32_t> named(spec.compile_time_args.begin(),
                                                    spec.compile_time_args.end());
    if (auto movement = std::get_if<DataMovementHardwareConfig>(&spec.hw_config)) {
        if (auto gen1 = std::get_if<DataMovementGen1Config>(movement)) {
            return DataMovementConfig{.processor = gen1->processor, .noc = gen1->noc,
                                      .noc_mode = gen1->noc_mode, .defines = options.defines,
                                      .named_compile_args = named,
                                      .compiler_include_paths = options.include_paths};
        }
    } else if (auto gen1 = std::get_if<ComputeGen1Config>(
                   &std::get<ComputeHardwareConfig>(spec.hw_config))) {
        return ComputeConfig{
            .math_fidelity = gen1->fpu_math_fidelity,
            .fp32_dest_acc_en = gen1->enable_32_bit_dest,
            .dst_full_sync_en = !gen1->double_buffer_dest,
            .bfp8_pack_precise = gen1->bfp_pack_precision_mode == Precision::Precise,
            .math_approx_mode = gen1->sfpu_precision_mode == Precision::Approximate,
            .defines = options.defines,
            .named_compile_args = named,
            .compiler_include_paths = options.include_paths};
    }
    refuse(fmt::format("kernel {} is configured for a chip of another generation",
                       spec.unique_id.name), here);
}

// The cores of the work units that name a kernel.
CoreRangeSet cores_of_kernel(const ProgramSpec& spec, const KernelSpecName& name) {
    CoreRangeSet cores;
    for (const WorkUnitSpec& unit : spec.work_units) {
        if (std::ranges::find(unit.kernels, name) != unit.kernels.end()) {
            cores = cores.merge(cores_of(unit.target_nodes));
        }
    }
    return cores;
}

}  // namespace

Program MakeProgramFromSpec(
    distributed::MeshDevice& device, const ProgramSpec& spec, bool, std::source_location here) {
    device.require_open(here);
    Program program;
    for (const KernelSpec& kernel : spec.kernels) {
        if (kernel.num_threads != 1) {
            refuse(fmt::format("kernel {} has {} threads; this chip runs one", kernel.unique_id.name,
                               kernel.num_threads), here);
        }
        CoreRangeSet cores = cores_of_kernel(spec, kernel.unique_id);
        KernelConfig config = config_of(kernel, here);
        if (auto file = std::get_if<std::filesystem::path>(&kernel.source)) {
            CreateKernel(program, file->string(), cores, config, here);
        } else {
            const auto& text = std::get<KernelSpec::SourceCode>(kernel.source);
            CreateKernelFromString(program, text.code, cores, config, here);
        }
    }
    return program;
}

}  // namespace tt::tt_metal::experimental
