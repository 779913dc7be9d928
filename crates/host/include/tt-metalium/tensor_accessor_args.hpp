// What a kernel must know of a buffer to find its pages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/mesh_buffer.hpp>

namespace tensor_accessor {

// Words of a sharded buffer that become common runtime arguments.
enum class ArgConfig : uint8_t {
    None = 0,
    Sharded = 1,
    IsDram = 2,
    RuntimeRank = 4,
    RuntimeNumBanks = 8,
    RuntimeTensorShape = 16,
    RuntimeShardShape = 32,
    RuntimeBankCoords = 64,
};

struct ArgsConfig {
    constexpr ArgsConfig(ArgConfig one = ArgConfig::None) : bits(static_cast<uint8_t>(one)) {}
    constexpr ArgsConfig operator|(ArgsConfig other) const {
        ArgsConfig both;
        both.bits = bits | other.bits;
        return both;
    }
    uint8_t bits;
};

}  // namespace tensor_accessor

namespace tt::tt_metal {

class TensorAccessorArgs {
public:
    // A buffer that is not there: the words after it stay in place.
    TensorAccessorArgs() = default;
    explicit TensorAccessorArgs(
        const Buffer* buffer, tensor_accessor::ArgsConfig config = {},
        std::source_location here = std::source_location::current());
    explicit TensorAccessorArgs(
        const Buffer& buffer, tensor_accessor::ArgsConfig config = {},
        std::source_location here = std::source_location::current())
        : TensorAccessorArgs(&buffer, config, here) {}
    explicit TensorAccessorArgs(
        const std::shared_ptr<Buffer>& buffer, tensor_accessor::ArgsConfig config = {},
        std::source_location here = std::source_location::current())
        : TensorAccessorArgs(buffer.get(), config, here) {}
    explicit TensorAccessorArgs(
        const distributed::MeshBuffer& buffer, tensor_accessor::ArgsConfig config = {},
        std::source_location here = std::source_location::current())
        : TensorAccessorArgs(buffer.get_backing_buffer(), config, here) {}
    explicit TensorAccessorArgs(
        const distributed::MeshBuffer* buffer, tensor_accessor::ArgsConfig config = {},
        std::source_location here = std::source_location::current())
        : TensorAccessorArgs(buffer ? buffer->get_backing_buffer() : nullptr, config, here) {}
    explicit TensorAccessorArgs(
        const std::shared_ptr<distributed::MeshBuffer>& buffer,
        tensor_accessor::ArgsConfig config = {},
        std::source_location here = std::source_location::current())
        : TensorAccessorArgs(buffer.get(), config, here) {}

    void append_to(std::vector<uint32_t>& compile_time_args) const {
        compile_time_args.insert(compile_time_args.end(), words_.begin(), words_.end());
    }
    void append_to(std::vector<uint32_t>& compile_time_args,
                   std::vector<uint32_t>& common_runtime_args) const {
        append_to(compile_time_args);
        common_runtime_args.insert(common_runtime_args.end(), common_.begin(), common_.end());
    }
    std::vector<uint32_t> get_compile_time_args() const { return words_; }
    std::vector<uint32_t> get_common_runtime_args() const { return common_; }

private:
    std::vector<uint32_t> words_ = {0, 0};
    std::vector<uint32_t> common_;
};

}  // namespace tt::tt_metal
