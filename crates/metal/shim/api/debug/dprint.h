// DPRINT: text with `{}` for each argument. It cannot hang: nothing waits for a reader.
//
// The older form, `DPRINT << value << ENDL()`, prints the same way.

#pragma once

#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "internal/risc_attribs.h"
#include "tilewright/call.h"
#include "tilewright/lacks.h"

// A bfloat16 by its bits, printed as a number.
struct bf16_t {
    uint16_t bits;
    constexpr bf16_t(uint16_t pattern = 0) : bits(pattern) {}
};
using BF16 = bf16_t;
struct F32 {
    float value;
    constexpr F32(float number) : value(number) {}
};
struct U32 {
    uint32_t value;
    constexpr U32(uint32_t number) : value(number) {}
};
struct ENDL {};
struct FIXED {};
struct DEFAULTFLOAT {};
struct HEX {};
struct OCT {};
struct DEC {};
struct SETW {
    constexpr SETW(int, bool = true) {}
};
struct SETPRECISION {
    constexpr SETPRECISION(int) {}
};

// Rows and columns of a tile to print.
struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
};
enum tw_slice_source { TSLICE_INPUT_CB, TSLICE_OUTPUT_CB };
enum tw_slice_pointer { TSLICE_RD_PTR, TSLICE_WR_PTR };
template <int MaxCount = 64>
struct TileSlice {
    template <typename... Args>
    TW_NOT_SERVED("printing of tile slices")
    TileSlice(Args&&...);
};
template <typename... Args>
TileSlice(Args&&...) -> TileSlice<64>;

namespace tw {

// A line of text under construction; what does not fit is cut off.
struct text {
    char bytes[512];
    uint32_t length = 0;

    void put(char letter) {
        if (length < sizeof(bytes)) {
            bytes[length++] = letter;
        }
    }
    void put(const char* letters) {
        while (*letters != 0) {
            put(*letters++);
        }
    }
    template <typename Value>
    void number(const char* format, Value value) {
        char digits[48];
        std::snprintf(digits, sizeof(digits), format, value);
        put(digits);
    }

    template <typename T>
    void value(const T& given, bool hexadecimal = false) {
        if constexpr (std::is_same_v<T, bf16_t>) {
            number("%g", double(__builtin_bit_cast(float, uint32_t{given.bits} << 16)));
        } else if constexpr (std::is_same_v<T, F32> || std::is_same_v<T, U32>) {
            value(given.value, hexadecimal);
        } else if constexpr (std::is_same_v<T, ENDL>) {
            put('\n');
        } else if constexpr (std::is_same_v<T, char>) {
            put(given);
        } else if constexpr (std::is_same_v<T, bool>) {
            put(given ? "true" : "false");
        } else if constexpr (std::is_enum_v<T>) {
            value(static_cast<std::underlying_type_t<T>>(given), hexadecimal);
        } else if constexpr (std::is_floating_point_v<T>) {
            number("%g", double(given));
        } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
            number(hexadecimal ? "%llx" : "%lld", static_cast<long long>(given));
        } else if constexpr (std::is_integral_v<T>) {
            number(hexadecimal ? "%llx" : "%llu", static_cast<unsigned long long>(given));
        } else if constexpr (std::is_convertible_v<const T&, const char*>) {
            put(static_cast<const char*>(given));
        } else if constexpr (std::is_pointer_v<T>) {
            // L1 pointers; the place in the slot is what the device would print.
            number("0x%llx", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(given) & 0x1fffff));
        } else if constexpr (std::is_convertible_v<const T&, uint32_t>) {
            number(hexadecimal ? "%llx" : "%llu", static_cast<unsigned long long>(static_cast<uint32_t>(given)));
        }
    }
};

// Copies up to the next place for a value; true if there is one. `{{` is a brace.
inline bool next_place(const char*& format, text& out, bool& hexadecimal) {
    while (*format != 0) {
        if (format[0] == '{' && format[1] != '{') {
            hexadecimal = false;
            while (*format != 0 && *format != '}') {
                hexadecimal |= *format == 'x' || *format == 'X';
                ++format;
            }
            format += *format == '}';
            return true;
        }
        format += (format[0] == '{' || format[0] == '}') && format[1] == format[0];
        out.put(*format++);
    }
    return false;
}

template <typename... Args>
inline void print(tw_site site, const char* format, const Args&... args) {
    text out;
    [[maybe_unused]] bool hexadecimal = false;
    ((next_place(format, out, hexadecimal) ? out.value(args, hexadecimal) : void()), ...);
    while (next_place(format, out, hexadecimal)) {
    }
    tw_calls->print(site, out.bytes, out.length);
}

struct stream {
    template <typename T>
    const stream& operator<<(const T& value) const {
        text out;
        out.value(value);
        tw_calls->print(tw_site{"", 0, 0}, out.bytes, out.length);
        return *this;
    }
};

}  // namespace tw

inline constexpr tw::stream DPRINT{};

#define TW_PRINT(...) tw::print(tw::site(std::source_location::current()), __VA_ARGS__)
#define DEVICE_PRINT(...) TW_PRINT(__VA_ARGS__)
#define DPRINT(...) TW_PRINT(__VA_ARGS__)
#ifdef TRISC_UNPACK
#define DPRINT_UNPACK(...) TW_PRINT(__VA_ARGS__)
#else
#define DPRINT_UNPACK(...)
#endif
#ifdef TRISC_MATH
#define DPRINT_MATH(...) TW_PRINT(__VA_ARGS__)
#else
#define DPRINT_MATH(...)
#endif
#ifdef TRISC_PACK
#define DPRINT_PACK(...) TW_PRINT(__VA_ARGS__)
#else
#define DPRINT_PACK(...)
#endif
#ifdef COMPILE_FOR_BRISC
#define DPRINT_DATA0(...) TW_PRINT(__VA_ARGS__)
#else
#define DPRINT_DATA0(...)
#endif
#ifdef COMPILE_FOR_NCRISC
#define DPRINT_DATA1(...) TW_PRINT(__VA_ARGS__)
#else
#define DPRINT_DATA1(...)
#endif
#define DEVICE_PRINT_UNPACK DPRINT_UNPACK
#define DEVICE_PRINT_MATH DPRINT_MATH
#define DEVICE_PRINT_PACK DPRINT_PACK
