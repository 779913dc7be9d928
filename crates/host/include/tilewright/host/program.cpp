// Programs as they are built, and as the simulator reads them.

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <string>

#include <tilewright/host/link.hpp>
#include <tilewright/host/program.hpp>
#include <tt-metalium/host_api.hpp>

namespace tt::tt_metal {

using tilewright::host::Json;
using tilewright::host::Location;
using tilewright::host::refuse;

namespace {

void write_cores(Json& json, const CoreRangeSet& cores) {
    json.field("core_ranges").open('[');
    for (const CoreRange& range : cores.ranges()) {
        json.open('{').field("start").open('[').number(range.start_coord.x);
        json.number(range.start_coord.y).close(']').field("end").open('[');
        json.number(range.end_coord.x).number(range.end_coord.y).close(']').close('}');
    }
    json.close(']');
}

void write_config(Json& json, const DataMovementConfig& config) {
    bool is_first = config.processor == DataMovementProcessor::RISCV_0;
    json.field("kind").text("data_movement");
    json.field("processor").text(is_first ? "riscv_0" : "riscv_1");
    json.field("noc").text(config.noc == NOC::NOC_0 ? "noc_0" : "noc_1");
    bool is_dedicated = config.noc_mode == NOC_MODE::DM_DEDICATED_NOC;
    json.field("noc_mode").text(is_dedicated ? "dedicated" : "dynamic");
}

void write_config(Json& json, const ComputeConfig& config) {
    json.field("kind").text("compute");
    json.field("math_fidelity").text(name_of(config.math_fidelity));
    json.field("fp32_dest_acc_en").boolean(config.fp32_dest_acc_en);
    json.field("dst_full_sync_en").boolean(config.dst_full_sync_en);
    json.field("math_approx_mode").boolean(config.math_approx_mode);
    json.field("bfp8_pack_precise").boolean(config.bfp8_pack_precise);
    json.field("unpack_to_dest_fp32").open('[');
    for (std::size_t index = 0; index < config.unpack_to_dest_mode.size(); index++) {
        bool is_direct = config.unpack_to_dest_mode[index] == UnpackToDestMode::UnpackToDestFp32;
        if (is_direct) { json.number(index); }
    }
    json.close(']');
}

// What both kinds of kernels are compiled with.
void write_arguments(Json& json, const auto& config) {
    json.field("compile_time_args").words(config.compile_args);
    json.field("named_compile_time_args").open('{');
    for (const auto& [name, value] : config.named_compile_args) {
        json.field(name.c_str()).number(value);
    }
    json.close('}').field("defines").open('{');
    for (const auto& [name, value] : config.defines) { json.field(name.c_str()).text(value); }
    json.close('}').field("compiler_include_paths").open('[');
    for (const auto& path : config.compiler_include_paths) { json.text(path.string()); }
    json.close(']');
}

void write_runtime_args(Json& json, const detail::Kernel& kernel) {
    json.field("common_runtime_args").words(kernel.common.words());
    json.field("runtime_args").open('[');
    for (std::size_t x = 0; x < kernel.args.size(); x++) {
        for (std::size_t y = 0; y < kernel.args[x].size(); y++) {
            const auto& words = kernel.args[x][y].words();
            if (words.empty()) { continue; }
            json.open('{').field("core").open('[').number(x).number(y).close(']');
            json.field("args").words(words).close('}');
        }
    }
    json.close(']');
}

void write_kernel(Json& json, const detail::Kernel& kernel) {
    json.open('{').field("folder").text(kernel.folder);
    json.field("file").text(kernel.file).field("text").text(kernel.text);
    write_cores(json, kernel.cores);
    json.field("config").open('{');
    std::visit([&](const auto& config) { write_config(json, config); }, kernel.config);
    json.close('}');
    std::visit([&](const auto& config) { write_arguments(json, config); }, kernel.config);
    write_runtime_args(json, kernel);
    json.site(kernel.site).close('}');
}

void write_ring(Json& json, const detail::Ring& ring) {
    const CircularBufferConfig& config = ring.config;
    json.open('{').field("total_size").number(config.total_size());
    write_cores(json, ring.cores);
    json.field("format_descriptors").open('[');
    for (const auto& [index, part] : config.parts()) {
        json.open('{').field("buffer_index").number(index);
        json.field("data_format").text(name_of(part.format));
        json.field("page_size").number(part.page_size.value_or(config.total_size()));
        if (part.tile) {
            json.field("tile").open('[').number(part.tile->get_height());
            json.number(part.tile->get_width()).close(']');
        }
        json.close('}');
    }
    json.close(']');
    if (const Buffer* buffer = config.buffer()) {
        json.field("placement").open('{');
        if (buffer->has_shard_spec()) {
            json.field("tensor").open('{').field("name").text(buffer->name());
            json.field("address_offset").number(config.address_offset()).close('}');
        } else {
            json.field("address").number(buffer->address() + config.address_offset());
        }
        json.close('}');
    }
    json.site(ring.site).close('}');
}

}  // namespace

ReaderDataMovementConfig::ReaderDataMovementConfig(
    std::vector<uint32_t> compile_args, std::map<std::string, std::string> defines,
    std::unordered_map<std::string, uint32_t> named_compile_args, KernelBuildOptLevel opt_level,
    std::vector<std::filesystem::path> compiler_include_paths)
    : DataMovementConfig{DataMovementProcessor::RISCV_1, NOC::NOC_0, NOC_MODE::DM_DEDICATED_NOC,
                         std::move(compile_args), std::move(defines),
                         std::move(named_compile_args), opt_level,
                         std::move(compiler_include_paths)} {}

WriterDataMovementConfig::WriterDataMovementConfig(
    std::vector<uint32_t> compile_args, std::map<std::string, std::string> defines,
    std::unordered_map<std::string, uint32_t> named_compile_args, KernelBuildOptLevel opt_level,
    std::vector<std::filesystem::path> compiler_include_paths)
    : DataMovementConfig{DataMovementProcessor::RISCV_0, NOC::NOC_1, NOC_MODE::DM_DEDICATED_NOC,
                         std::move(compile_args), std::move(defines),
                         std::move(named_compile_args), opt_level,
                         std::move(compiler_include_paths)} {}

CoreRangeSet cores_of(const CoreSpec& spec) {
    if (auto core = std::get_if<CoreCoord>(&spec)) { return CoreRangeSet(CoreRange(*core)); }
    if (auto range = std::get_if<CoreRange>(&spec)) { return CoreRangeSet(*range); }
    return std::get<CoreRangeSet>(spec);
}

void RuntimeArgsData::beyond(std::size_t index) const {
    TT_THROW("Index {} is larger than runtime args size {}", index, size());
}

Program::Program() : impl_(std::make_shared<detail::ProgramImpl>()) {}

detail::ProgramImpl& Program::impl(std::source_location here) const {
    if (!impl_) { refuse("the program has been moved away, such as to a workload", here); }
    return *impl_;
}

void Program::set_runtime_id(ProgramId id) { impl().runtime_id = id; }

ProgramId Program::get_runtime_id() const { return impl().runtime_id; }

namespace detail {

Kernel& ProgramImpl::kernel(KernelHandle handle, const Location& here) {
    if (handle >= kernels.size()) {
        refuse(fmt::format("kernel handle {} of a program that has {} kernels; is it another "
                           "program's?",
                           handle, kernels.size()),
               here);
    }
    return kernels[handle];
}

Ring& ProgramImpl::ring(CBHandle handle, const Location& here) {
    if (handle >= rings.size()) {
        refuse(fmt::format("circular buffer handle {} of a program that has {}", handle, rings.size()), here);
    }
    return rings[handle];
}

std::string ProgramImpl::describe() const {
    Json json;
    json.open('{').field("kernels").open('[');
    for (const Kernel& kernel : kernels) {
        if (!kernel.cores.empty()) { write_kernel(json, kernel); }
    }
    json.close(']').field("cbs").open('[');
    for (const Ring& ring : rings) { write_ring(json, ring); }
    json.close(']').field("semaphores").open('[');
    for (const Semaphore& semaphore : semaphores) {
        json.open('{').field("id").number(semaphore.id);
        write_cores(json, semaphore.cores);
        json.field("initial_value").number(semaphore.initial).close('}');
    }
    return json.close(']').close('}').str();
}

}  // namespace detail

namespace {

// Cores that the chip has.
CoreRangeSet checked(const CoreRangeSet& cores, const char* what, const Location& here) {
    const auto& chip = tilewright::host::chip();
    if (cores.empty()) { refuse(fmt::format("{} is placed on no core", what), here); }
    CoreRange box = cores.bounding_box();
    if (box.end_coord.x >= chip.columns || box.end_coord.y >= chip.rows) {
        refuse(fmt::format("{} is placed on cores {}, outside the grid of {}x{} cores", what,
                           cores.str(), chip.columns, chip.rows),
               here);
    }
    return cores;
}

std::string working_folder() {
    char folder[PATH_MAX];
    return ::getcwd(folder, sizeof(folder)) ? folder : "";
}

KernelHandle add_kernel(Program& program, detail::Kernel kernel, const Location& here) {
    kernel.folder = working_folder();
    // A group of cores may be empty, and its kernel is then nowhere.
    if (!kernel.cores.empty()) {
        checked(kernel.cores, "the kernel", here);
        CoreCoord end = kernel.cores.bounding_box().end_coord;
        kernel.args.resize(end.x + 1, std::vector<RuntimeArgsData>(end.y + 1));
    }
    auto& kernels = program.impl(here).kernels;
    kernels.push_back(std::move(kernel));
    return kernels.size() - 1;
}

// Where a core's arguments of a kernel are; refuses a core that does not run it.
RuntimeArgsData& args_of(detail::Kernel& kernel, const CoreCoord& core, const Location& here) {
    if (!kernel.cores.contains(core)) {
        refuse(fmt::format("runtime args for core {}, on which kernel {} does not run; it runs on "
                           "{}",
                           core.str(), kernel.file, kernel.cores.str()),
               here);
    }
    return kernel.args[core.x][core.y];
}

void set_args(RuntimeArgsData& to, ttsl::Span<const uint32_t> args, const Location& here) {
    if (args.size() > max_runtime_args) {
        refuse(fmt::format("{} runtime args are more than the {} that a kernel may have",
                           args.size(), max_runtime_args),
               here);
    }
    if (!to.words().empty() && to.size() != args.size()) {
        refuse(fmt::format("a kernel that has {} runtime args on a core is now given {}; their "
                           "number cannot change",
                           to.size(), args.size()),
               here);
    }
    to.words().assign(args.begin(), args.end());
}

}  // namespace

KernelHandle CreateKernel(
    Program& program, const std::string& file_name, const CoreSpec& cores,
    const KernelConfig& config, std::source_location here) {
    Json json;
    json.open('{').field("call").text("kernel").field("folder").text(working_folder());
    tilewright::host::ask(json.field("file").text(file_name).site(here).close('}').str(), here);
    detail::Kernel kernel{file_name, "", "", cores_of(cores), config, {}, {}, here};
    return add_kernel(program, std::move(kernel), here);
}

KernelHandle CreateKernelFromString(
    Program& program, const std::string& source, const CoreSpec& cores,
    const KernelConfig& config, std::source_location here) {
    std::string name = "kernel" + std::to_string(program.impl(here).kernels.size()) + ".cpp";
    detail::Kernel kernel{name, source, "", cores_of(cores), config, {}, {}, here};
    return add_kernel(program, std::move(kernel), here);
}

CBHandle CreateCircularBuffer(
    Program& program, const CoreSpec& cores, const CircularBufferConfig& config,
    std::source_location here) {
    auto& rings = program.impl(here).rings;
    CoreRangeSet all = checked(cores_of(cores), "the circular buffer", here);
    for (const auto& [index, part] : config.parts()) {
        if (!part.page_size) {
            refuse(fmt::format("circular buffer c_{} has no page size: call set_page_size", index),
                   here);
        }
        for (const detail::Ring& other : rings) {
            if (other.config.parts().contains(index) && other.cores.intersects(all)) {
                refuse(fmt::format("circular buffer index {} is taken on these cores by the buffer "
                                   "created at {}:{}",
                                   index, other.site.file_name(), other.site.line()),
                       here);
            }
        }
    }
    rings.push_back({config, std::move(all), here});
    return rings.size() - 1;
}

const CircularBufferConfig& GetCircularBufferConfig(
    Program& program, CBHandle handle, std::source_location here) {
    return program.impl(here).ring(handle, here).config;
}

void UpdateCircularBufferTotalSize(
    Program& program, CBHandle handle, uint32_t total_size, std::source_location here) {
    program.impl(here).ring(handle, here).config.set_total_size(total_size);
}

void UpdateCircularBufferPageSize(
    Program& program, CBHandle handle, uint8_t index, uint32_t page_size,
    std::source_location here) {
    program.impl(here).ring(handle, here).config.set_page_size(index, page_size, here);
}

void UpdateDynamicCircularBufferAddress(
    Program& program, CBHandle handle, const Buffer& buffer, std::source_location here) {
    program.impl(here).ring(handle, here).config.set_globally_allocated_address(buffer, here);
}

void UpdateDynamicCircularBufferAddressAndTotalSize(
    Program& program, CBHandle handle, const Buffer& buffer, uint32_t total_size,
    std::source_location here) {
    auto& config = program.impl(here).ring(handle, here).config;
    config.set_globally_allocated_address_and_total_size(buffer, total_size, here);
}

uint32_t CreateSemaphore(
    Program& program, const std::variant<CoreRange, CoreRangeSet>& cores, uint32_t initial_value,
    std::source_location here) {
    CoreRangeSet all = std::holds_alternative<CoreRange>(cores)
        ? CoreRangeSet(std::get<CoreRange>(cores)) : std::get<CoreRangeSet>(cores);
    checked(all, "the semaphore", here);
    auto& semaphores = program.impl(here).semaphores;
    uint32_t most = tilewright::host::chip().semaphores;
    for (uint32_t id = 0; id < most; id++) {
        bool is_taken = std::ranges::any_of(semaphores, [&](const detail::Semaphore& other) {
            return other.id == id && other.cores.intersects(all);
        });
        if (!is_taken) {
            semaphores.push_back({id, std::move(all), initial_value});
            return id;
        }
    }
    refuse(fmt::format("no semaphore is left on cores {}: all {} are taken", all.str(), most),
           here);
}

void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const CoreSpec& cores,
    ttsl::Span<const uint32_t> args, std::source_location here) {
    auto& it = program.impl(here).kernel(kernel, here);
    for (const CoreCoord& core : corerange_to_cores(cores_of(cores))) {
        set_args(args_of(it, core, here), args, here);
    }
}

void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const std::vector<CoreCoord>& cores,
    const std::vector<std::vector<uint32_t>>& args, std::source_location here) {
    if (cores.size() != args.size()) {
        refuse(fmt::format("{} cores are given {} lists of runtime args; each core needs one",
                           cores.size(), args.size()), here);
    }
    auto& it = program.impl(here).kernel(kernel, here);
    for (std::size_t place = 0; place < cores.size(); place++) {
        set_args(args_of(it, cores[place], here), args[place], here);
    }
}

void SetCommonRuntimeArgs(
    const Program& program, KernelHandle kernel, ttsl::Span<const uint32_t> args,
    std::source_location here) {
    set_args(program.impl(here).kernel(kernel, here).common, args, here);
}

RuntimeArgsData& GetRuntimeArgs(
    const Program& program, KernelHandle kernel, const CoreCoord& core,
    std::source_location here) {
    return args_of(program.impl(here).kernel(kernel, here), core, here);
}

std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(
    const Program& program, KernelHandle kernel, std::source_location here) {
    return program.impl(here).kernel(kernel, here).args;
}

RuntimeArgsData& GetCommonRuntimeArgs(
    const Program& program, KernelHandle kernel, std::source_location here) {
    return program.impl(here).kernel(kernel, here).common;
}

CircularBufferConfig::CircularBufferConfig(
    uint32_t total_size, const std::map<uint8_t, tt::DataFormat>& formats,
    std::source_location here)
    : total_size_(total_size) {
    if (total_size == 0) { refuse("a circular buffer of 0 bytes; its size must be positive", here); }
    for (const auto& [index, format] : formats) {
        uint32_t most = tilewright::host::chip().circular_buffers;
        if (index >= most) {
            refuse(fmt::format("circular buffer index {}; indices go from 0 to {}", index, most - 1),
                   here);
        }
        parts_.insert({index, Part{format, std::nullopt, std::nullopt}});
    }
}

CircularBufferConfig::Part& CircularBufferConfig::part(uint8_t index, const Location& here) {
    auto found = parts_.find(index);
    if (found == parts_.end()) {
        refuse(fmt::format("circular buffer c_{} has no data format in this configuration", index),
               here);
    }
    return found->second;
}

CircularBufferConfig& CircularBufferConfig::set_page_size(
    uint8_t index, uint32_t page_size, std::source_location here) {
    if (page_size == 0 || total_size_ % page_size != 0) {
        refuse(fmt::format("a circular buffer of {} bytes is no whole number of pages of {} bytes",
                           total_size_, page_size), here);
    }
    if (page_size % sizeof(uint32_t) != 0) {
        refuse(fmt::format("pages of {} bytes; a page is a multiple of 4 bytes", page_size), here);
    }
    part(index, here).page_size = page_size;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_tile_dims(
    uint8_t index, const Tile& tile, std::source_location here) {
    part(index, here).tile = tile;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(
    const Buffer& buffer, std::source_location here) {
    if (!buffer.is_l1()) {
        refuse("a circular buffer in a buffer that is not in L1", here);
    }
    buffer.require_allocated(here);
    buffer_ = &buffer;
    return *this;
}

}  // namespace tt::tt_metal
