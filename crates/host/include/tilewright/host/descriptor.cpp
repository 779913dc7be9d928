// Programs from plain data.

#include <tilewright/host/program.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <ttnn/operations/cb_utils.hpp>

namespace tt::tt_metal {

uint32_t calculate_total_cb_size(const Program& program) {
    uint32_t all = 0;
    for (const auto& ring : program.impl().rings) {
        all += ring.config.buffer() ? 0 : ring.config.total_size();
    }
    return all;
}

namespace {

// What both kinds of kernels are compiled with.
template <class Config>
Config with_arguments(Config config, const KernelDescriptor& from) {
    config.compile_args = from.compile_time_args;
    config.defines = {from.defines.begin(), from.defines.end()};
    config.named_compile_args = {from.named_compile_time_args.begin(),
                                 from.named_compile_time_args.end()};
    config.compiler_include_paths = from.compiler_include_paths;
    return config;
}

KernelConfig config_from(const KernelDescriptor& from) {
    if (auto compute = std::get_if<ComputeConfigDescriptor>(&from.config)) {
        ComputeConfig config;
        config.math_fidelity = compute->math_fidelity;
        config.fp32_dest_acc_en = compute->fp32_dest_acc_en;
        config.dst_full_sync_en = compute->dst_full_sync_en;
        config.unpack_to_dest_mode = compute->unpack_to_dest_mode;
        config.bfp8_pack_precise = compute->bfp8_pack_precise;
        config.math_approx_mode = compute->math_approx_mode;
        return with_arguments(config, from);
    }
    if (std::holds_alternative<ReaderConfigDescriptor>(from.config)) {
        return with_arguments<DataMovementConfig>(ReaderDataMovementConfig(), from);
    }
    if (std::holds_alternative<WriterConfigDescriptor>(from.config)) {
        return with_arguments<DataMovementConfig>(WriterDataMovementConfig(), from);
    }
    const auto& movement = std::get<DataMovementConfigDescriptor>(from.config);
    DataMovementConfig config;
    config.processor = movement.processor;
    config.noc = movement.noc;
    config.noc_mode = movement.noc_mode;
    return with_arguments(config, from);
}

void add_ring(Program& program, const CBDescriptor& from, const tilewright::host::Location& here) {
    std::map<uint8_t, tt::DataFormat> formats;
    for (const auto& it : from.format_descriptors) { formats[it.buffer_index] = it.data_format; }
    CircularBufferConfig config(from.total_size, formats, here);
    for (const auto& it : from.format_descriptors) {
        config.set_page_size(it.buffer_index, it.page_size, here);
        if (it.tile) {
            config.set_tile_dims(it.buffer_index, Tile({it.tile->height, it.tile->width}), here);
        }
    }
    if (from.buffer != nullptr) { config.set_globally_allocated_address(*from.buffer, here); }
    config.set_address_offset(from.address_offset);
    CreateCircularBuffer(program, from.core_ranges, config, here);
}

}  // namespace

Program::Program(const ProgramDescriptor& descriptor, std::source_location here) : Program() {
    // Factories describe buffers of groups without cores, which have no bytes.
    for (const CBDescriptor& ring : descriptor.cbs) {
        if (!ring.core_ranges.empty()) { add_ring(*this, ring, here); }
    }
    for (const SemaphoreDescriptor& it : descriptor.semaphores) {
        impl(here).semaphores.push_back({it.id, it.core_ranges, it.initial_value});
    }
    for (const KernelDescriptor& it : descriptor.kernels) {
        KernelConfig config = config_from(it);
        bool is_text = it.source_type == KernelDescriptor::SourceType::SOURCE_CODE;
        auto kernel = is_text
            ? CreateKernelFromString(*this, it.kernel_source, it.core_ranges, config, here)
            : CreateKernel(*this, it.kernel_source, it.core_ranges, config, here);
        for (const auto& [core, args] : it.runtime_args) {
            SetRuntimeArgs(*this, kernel, core, args, here);
        }
        if (!it.common_runtime_args.empty()) {
            SetCommonRuntimeArgs(*this, kernel, it.common_runtime_args, here);
        }
    }
}

}  // namespace tt::tt_metal
