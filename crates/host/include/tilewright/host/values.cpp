// Formats, names and vectors of values.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>

#include <tt-metalium/base_types.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>
#include <tt-logger/tt-logger.hpp>
#include <tt_stl/assert.hpp>

namespace tilewright::host {

namespace {

const char* const LEVELS[] = {"trace", "debug", "info", "warning", "error", "critical", "off"};

Level shown_from() {
    const char* asked = std::getenv("TT_LOGGER_LEVEL");
    for (int level = 0; asked != nullptr && level <= static_cast<int>(Level::Off); level++) {
        if (std::string(asked) == LEVELS[level]) { return static_cast<Level>(level); }
    }
    return Level::Info;
}

}  // namespace

bool is_shown(Level level) {
    static const Level least = shown_from();
    return level >= least;
}

void show(Level level, const std::string& text) {
    std::FILE* to = level <= Level::Info ? stdout : stderr;
    fmt::println(to, "{}: {}", LEVELS[static_cast<int>(level)], text);
}

}  // namespace tilewright::host

namespace tt {

const char* name_of(DataFormat format) {
    switch (format) {
        case DataFormat::Float32: return "Float32";
        case DataFormat::Float16: return "Float16";
        case DataFormat::Bfp8: return "Bfp8";
        case DataFormat::Bfp4: return "Bfp4";
        case DataFormat::Bfp2: return "Bfp2";
        case DataFormat::Float16_b: return "Float16_b";
        case DataFormat::Bfp8_b: return "Bfp8_b";
        case DataFormat::Bfp4_b: return "Bfp4_b";
        case DataFormat::Bfp2_b: return "Bfp2_b";
        case DataFormat::Lf8: return "Lf8";
        case DataFormat::Fp8_e4m3: return "Fp8_e4m3";
        case DataFormat::Int8: return "Int8";
        case DataFormat::Tf32: return "Tf32";
        case DataFormat::UInt8: return "UInt8";
        case DataFormat::UInt16: return "UInt16";
        case DataFormat::Int32: return "Int32";
        case DataFormat::UInt32: return "UInt32";
        case DataFormat::RawUInt8: return "RawUInt8";
        case DataFormat::RawUInt16: return "RawUInt16";
        case DataFormat::RawUInt32: return "RawUInt32";
        case DataFormat::Invalid: return "Invalid";
    }
    return "Invalid";
}

void no_datum_size(DataFormat format) {
    TT_THROW("datum_size: {} has no size of one value", name_of(format));
}

bool is_floating_point(const DataFormat& format) {
    std::string name = name_of(format);
    return name.find("Int") == std::string::npos && format != DataFormat::Invalid;
}

std::string arch_to_str(ARCH arch) {
    return arch == ARCH::WORMHOLE_B0 ? "wormhole_b0" : arch == ARCH::BLACKHOLE ? "blackhole"
        : arch == ARCH::QUASAR ? "quasar" : "Invalid";
}

std::string get_string_lowercase(ARCH arch) { return arch_to_str(arch); }

}  // namespace tt

namespace tt::tt_metal {

const char* name_of(MathFidelity fidelity) {
    switch (fidelity) {
        case MathFidelity::LoFi: return "LoFi";
        case MathFidelity::HiFi2: return "HiFi2";
        case MathFidelity::HiFi3: return "HiFi3";
        case MathFidelity::HiFi4: return "HiFi4";
        case MathFidelity::Invalid: return "Invalid";
    }
    return "Invalid";
}

std::string fmt_name(TensorMemoryLayout layout) {
    switch (layout) {
        case TensorMemoryLayout::INTERLEAVED: return "INTERLEAVED";
        case TensorMemoryLayout::HEIGHT_SHARDED: return "HEIGHT_SHARDED";
        case TensorMemoryLayout::WIDTH_SHARDED: return "WIDTH_SHARDED";
        case TensorMemoryLayout::BLOCK_SHARDED: return "BLOCK_SHARDED";
        case TensorMemoryLayout::ND_SHARDED: return "ND_SHARDED";
    }
    return "unknown";
}

std::string fmt_name(ShardOrientation orientation) {
    return orientation == ShardOrientation::ROW_MAJOR ? "ROW_MAJOR" : "COL_MAJOR";
}

std::string fmt_name(BufferType type) {
    switch (type) {
        case BufferType::DRAM: return "DRAM";
        case BufferType::L1: return "L1";
        case BufferType::SYSTEM_MEMORY: return "SYSTEM_MEMORY";
        case BufferType::L1_SMALL: return "L1_SMALL";
        case BufferType::TRACE: return "TRACE";
    }
    return "unknown";
}

}  // namespace tt::tt_metal

namespace {

uint32_t bits_of(bfloat16 value) {
    return std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
}

}  // namespace

uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two) {
    return bits_of(two.first) | bits_of(two.second) << 16;
}

std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(uint32_t word) {
    return {bfloat16::truncate(std::bit_cast<float>(word << 16)),
            bfloat16::truncate(std::bit_cast<float>(word & 0xffff0000))};
}

std::vector<uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16>& values) {
    std::vector<uint32_t> words;
    for (std::size_t place = 0; place + 1 < values.size(); place += 2) {
        words.push_back(pack_two_bfloat16_into_uint32({values[place], values[place + 1]}));
    }
    return words;
}

std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<uint32_t>& words,
    const std::function<bfloat16(const bfloat16&)>& transform) {
    std::vector<bfloat16> values;
    for (uint32_t word : words) {
        auto [low, high] = unpack_two_bfloat16_from_uint32(word);
        values.push_back(transform(low));
        values.push_back(transform(high));
    }
    return values;
}

std::vector<bfloat16> create_random_vector_of_bfloat16_native(
    size_t num_bytes, float rand_max_float, int seed, float offset) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> distribution(0.0f, rand_max_float);
    std::vector<bfloat16> values(num_bytes / sizeof(bfloat16));
    for (bfloat16& value : values) { value = bfloat16(distribution(generator) + offset); }
    return values;
}

std::vector<uint32_t> create_random_vector_of_bfloat16(
    size_t num_bytes, int rand_max_float, int seed, float offset) {
    auto values = create_random_vector_of_bfloat16_native(num_bytes, rand_max_float, seed, offset);
    return pack_bfloat16_vec_into_uint32_vec(values);
}

std::vector<uint32_t> create_constant_vector_of_bfloat16(size_t num_bytes, float value) {
    uint32_t word = pack_two_bfloat16_into_uint32({bfloat16(value), bfloat16(value)});
    return std::vector<uint32_t>(num_bytes / sizeof(uint32_t), word);
}

std::vector<bfloat16> create_identity_matrix(int rows, int cols, int num_ones) {
    std::vector<bfloat16> values(static_cast<size_t>(rows) * cols, bfloat16(0.0f));
    for (int place = 0; place < std::min({rows, cols, num_ones}); place++) {
        values[static_cast<size_t>(place) * cols + place] = bfloat16(1.0f);
    }
    return values;
}
