// Data formats and architectures.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

namespace tt {

enum class DataFormat : uint8_t {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Bfp2 = 11,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Bfp2_b = 15,
    Lf8 = 10,
    Fp8_e4m3 = 0x1A,
    Int8 = 14,
    Tf32 = 4,
    UInt8 = 30,
    UInt16 = 9,
    Int32 = 8,
    UInt32 = 24,
    RawUInt8 = 0xf0,
    RawUInt16 = 0xf1,
    RawUInt32 = 0xf2,
    Invalid = 0xff,
};

enum class ARCH { Invalid = 0, WORMHOLE_B0 = 2, BLACKHOLE = 3, QUASAR = 4 };

// tt-metal's name of a format.
const char* name_of(DataFormat format);

// Refuses a format that has no size of one value.
[[noreturn]] void no_datum_size(DataFormat format);

// Bytes of one value; block formats have none.
constexpr uint32_t datum_size(const DataFormat& format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32: return 4;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::RawUInt16: return 2;
        case DataFormat::Int8:
        case DataFormat::UInt8:
        case DataFormat::Lf8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::RawUInt8: return 1;
        default: no_datum_size(format);
    }
}

// Bytes of a 32 by 32 tile.
constexpr uint32_t tile_size(const DataFormat& format) {
    switch (format) {
        // Bits of a value, and 64 shared exponents.
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b: return 1024 + 64;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return 512 + 64;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return 256 + 64;
        default: return 1024 * datum_size(format);
    }
}

bool is_floating_point(const DataFormat& format);

inline std::ostream& operator<<(std::ostream& to, const DataFormat& format) {
    return to << name_of(format);
}

std::string arch_to_str(ARCH arch);

std::string get_string_lowercase(ARCH arch);

using ChipId = int;

}  // namespace tt

using tt::ChipId;
using tt::DataFormat;
