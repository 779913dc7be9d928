// Functions of the vector unit by name.

#pragma once

#include <cstdint>

#include "internal/data_format.h"
#include "llk_defs.h"

namespace tw {

// A function that the machine knows by name, with the template arguments that choose it.
struct function_name {
    uint32_t hash;
    constexpr function_name(const char* text) : hash(more(FIRST, text)) {}
    constexpr function_name(const char* text, DataFormat format)
        : hash(more(more(more(more(FIRST, text), "<"), format_name(format)), ">")) {}
    constexpr function_name(const char* text, bool fast)
        : hash(more(more(FIRST, text), fast ? "<true>" : "<false>")) {}
    constexpr function_name(const char* text, DataFormat from, DataFormat to)
        : hash(more(more(format_pair(more(FIRST, text), from), format_name(to)), ">")) {}
    constexpr function_name(const char* text, bool first, bool second)
        : hash(more(more(more(FIRST, text), first ? "<true," : "<false,"), second ? "true>" : "false>")) {}
    constexpr function_name(const char* text, ckernel::PoolType pool, DataFormat format, ckernel::ReduceDim dim)
        : hash(more(
              more(more(more(more(FIRST, text), pool_name(pool)), format_name(format)), ","),
              dim == ckernel::ReduceDim::REDUCE_COL ? "COL>" : "ROW>")) {}
    static constexpr const char* pool_name(ckernel::PoolType pool) {
        switch (pool) {
            case ckernel::PoolType::SUM: return "<SUM,";
            case ckernel::PoolType::AVG: return "<AVG,";
            case ckernel::PoolType::MAX: return "<MAX,";
            case ckernel::PoolType::MIN: return "<MIN,";
        }
        return "<another pool,";
    }
    static constexpr uint32_t FIRST = 0x811c9dc5;
    static constexpr uint32_t more(uint32_t hash, const char* text) {
        for (; *text != 0; ++text) {
            hash = (hash ^ static_cast<uint8_t>(*text)) * 0x01000193;
        }
        return hash;
    }
    static constexpr uint32_t format_pair(uint32_t hash, DataFormat from) {
        return more(more(more(hash, "<"), format_name(from)), ",");
    }
    static constexpr const char* format_name(DataFormat format) {
        switch (format) {
            case DataFormat::Float32: return "Float32";
            case DataFormat::Float16_b: return "Float16_b";
            case DataFormat::Int32: return "Int32";
            case DataFormat::UInt32: return "UInt32";
            case DataFormat::UInt16: return "UInt16";
            case DataFormat::UInt8: return "UInt8";
            case DataFormat::Bfp8_b: return "Bfp8_b";
            case DataFormat::Bfp4_b: return "Bfp4_b";
            default: return "another format";
        }
    }
};

}  // namespace tw

// The number of a function, from its name and template arguments.
#define TW_HASH(...) tw::function_name{__VA_ARGS__}.hash
