// Programs as plain data: kernels, circular buffers and semaphores in one structure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_constants.h>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/tile.hpp>
#include <tt_stl/small_vector.hpp>

namespace tt::tt_metal {

struct TileDescriptor {
    uint32_t height = constants::TILE_HEIGHT;
    uint32_t width = constants::TILE_WIDTH;
    bool transpose = false;

    TileDescriptor() = default;
    TileDescriptor(const Tile& tile) : height(tile.get_height()), width(tile.get_width()) {}
    TileDescriptor(uint32_t height, uint32_t width, bool transpose)
        : height(height), width(width), transpose(transpose) {}
    bool operator==(const TileDescriptor&) const = default;
};

struct CBFormatDescriptor {
    uint8_t buffer_index = 0;
    tt::DataFormat data_format = tt::DataFormat::Float32;
    uint32_t page_size = 0;
    std::optional<TileDescriptor> tile;
};

struct CBDescriptor {
    using FormatDescriptors = ttsl::SmallVector<CBFormatDescriptor, 1>;

    uint32_t total_size = 0;
    CoreRangeSet core_ranges;
    FormatDescriptors format_descriptors;
    Buffer* buffer = nullptr;
    uint32_t address_offset = 0;
};

struct SemaphoreDescriptor {
    uint32_t id{};
    CoreType core_type = CoreType::WORKER;
    CoreRangeSet core_ranges;
    uint32_t initial_value = 0;
};

struct ReaderConfigDescriptor {};
struct WriterConfigDescriptor {};
struct DataMovementConfigDescriptor {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
};
struct ComputeConfigDescriptor {
    using UnpackToDestModes = std::vector<UnpackToDestMode>;

    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    UnpackToDestModes unpack_to_dest_mode;
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
};

struct KernelDescriptor {
    using CompileTimeArgs = std::vector<uint32_t>;
    using NamedCompileTimeArgs = std::vector<std::pair<std::string, uint32_t>>;
    using Defines = std::vector<std::pair<std::string, std::string>>;
    using IncludePaths = std::vector<std::filesystem::path>;
    using CoreRuntimeArgs = std::vector<uint32_t>;
    using RuntimeArgs = std::vector<std::pair<CoreCoord, CoreRuntimeArgs>>;
    using CommonRuntimeArgs = CoreRuntimeArgs;
    using ConfigDescriptor = std::variant<ReaderConfigDescriptor, WriterConfigDescriptor,
                                          DataMovementConfigDescriptor, ComputeConfigDescriptor>;
    enum class SourceType { FILE_PATH, SOURCE_CODE };
    // A word, or a buffer, which stands for its address; none, for an absent tensor, for zero.
    using RuntimeArg = std::variant<uint32_t, Buffer*>;

    // Arguments that are collected one by one.
    class RTArgList {
    public:
        void push_back(uint32_t word) { words_.push_back(word); }
        void push_back(Buffer* buffer) { words_.push_back(word_of(buffer)); }
        void reserve(std::size_t count) { words_.reserve(count); }
        void append(const std::vector<uint32_t>& words) {
            words_.insert(words_.end(), words.begin(), words.end());
        }

    private:
        CoreRuntimeArgs words_;
        friend struct KernelDescriptor;
    };

    std::string kernel_source;
    SourceType source_type = SourceType::FILE_PATH;
    CoreRangeSet core_ranges;
    CompileTimeArgs compile_time_args;
    NamedCompileTimeArgs named_compile_time_args;
    Defines defines;
    IncludePaths compiler_include_paths;
    RuntimeArgs runtime_args;
    CommonRuntimeArgs common_runtime_args;
    std::optional<KernelBuildOptLevel> opt_level;
    ConfigDescriptor config;

    void emplace_runtime_args(const CoreCoord& core, std::initializer_list<uint32_t> args) {
        runtime_args.emplace_back(core, args);
    }
    void emplace_runtime_args(const CoreCoord& core, std::initializer_list<RuntimeArg> args) {
        runtime_args.emplace_back(core, words_of(args));
    }
    void emplace_runtime_args(const CoreCoord& core, const std::vector<RuntimeArg>& args) {
        runtime_args.emplace_back(core, words_of(args));
    }
    void emplace_runtime_args(const CoreCoord& core, const RTArgList& args) {
        runtime_args.emplace_back(core, args.words_);
    }
    void emplace_common_runtime_args(std::initializer_list<uint32_t> args) {
        common_runtime_args.insert(common_runtime_args.end(), args);
    }
    void emplace_common_runtime_args(std::initializer_list<RuntimeArg> args) {
        append_common(words_of(args));
    }
    void emplace_common_runtime_args(const RTArgList& args) { append_common(args.words_); }

private:
    void append_common(const CoreRuntimeArgs& words) {
        common_runtime_args.insert(common_runtime_args.end(), words.begin(), words.end());
    }
    static uint32_t word_of(const RuntimeArg& arg) {
        if (auto word = std::get_if<uint32_t>(&arg)) { return *word; }
        Buffer* buffer = std::get<Buffer*>(arg);
        return buffer == nullptr ? 0 : buffer->address();
    }
    template <class Args>
    static CoreRuntimeArgs words_of(const Args& args) {
        CoreRuntimeArgs words;
        for (const RuntimeArg& arg : args) { words.push_back(word_of(arg)); }
        return words;
    }
};

struct ProgramDescriptor {
    using KernelDescriptors = ttsl::SmallVector<KernelDescriptor, 3>;
    using SemaphoreDescriptors = ttsl::SmallVector<SemaphoreDescriptor, 3>;
    using CBDescriptors = ttsl::SmallVector<CBDescriptor, 5>;

    KernelDescriptors kernels;
    SemaphoreDescriptors semaphores;
    CBDescriptors cbs;
    std::optional<std::uint64_t> custom_program_hash;
};

}  // namespace tt::tt_metal
