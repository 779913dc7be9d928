// DPRINT: text with `{}` for each argument. It cannot hang: nothing waits for a reader.
//
// The older form, `DPRINT << value << ENDL()`, prints the same way.

#pragma once

#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "internal/circular_buffer_interface.h"
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
// Some elements of a tile in a ring. On data movement the ring and its pointer are told.
template <int MaxCount = 64>
struct TileSlice {
    uint32_t cb;
    uint32_t tile;
    SliceRange range;
    bool is_at_write_pointer;
    bool has_line_ends;
    bool is_untilized;

    TileSlice(
        uint32_t cb,
        uint32_t tile,
        const SliceRange& range,
        tw_slice_source,
        tw_slice_pointer pointer,
        bool has_line_ends = true,
        bool is_untilized = true) :
        cb(cb),
        tile(tile),
        range(range),
        is_at_write_pointer(pointer == TSLICE_WR_PTR),
        has_line_ends(has_line_ends),
        is_untilized(is_untilized) {}
    TileSlice(
        uint32_t cb, uint32_t tile, const SliceRange& range, bool has_line_ends = true, bool is_untilized = true) :
        TileSlice(cb, tile, range, TSLICE_INPUT_CB, TSLICE_RD_PTR, has_line_ends, is_untilized) {}
};
TileSlice(uint32_t, uint32_t, const SliceRange&, tw_slice_source, tw_slice_pointer, bool, bool) -> TileSlice<64>;

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

    // Elements of bf16 and fp32 tiles; other formats are named only.
    template <typename Slice>
    void slice(const Slice& given) {
        const tw_ring ring = ring_of(given.cb);
        const uint32_t pointer = given.is_at_write_pointer ? ring.write_pointer : ring.read_pointer;
        const uint32_t address = pointer + given.tile * ring.page_bytes;
        const uint32_t element_bytes = ring.page_bytes / 1024;
        if (element_bytes != 2 && element_bytes != 4) {
            put("<a tile that is neither bf16 nor fp32>");
            return;
        }
        for (uint32_t h = given.range.h0; h < given.range.h1; h += given.range.hs) {
            for (uint32_t w = given.range.w0; w < given.range.w1; w += given.range.ws) {
                const uint32_t faces = (h / 16 * 2 + w / 16) * 256 + h % 16 * 16 + w % 16;
                const uint32_t place = address + (given.is_untilized ? faces : h * 32 + w) * element_bytes;
                element(place, element_bytes);
            }
            put(given.has_line_ends ? "\n" : "");
        }
    }
    void element(uint32_t address, uint32_t bytes) {
        if (bytes == 2) {
            const uint16_t bits = *reinterpret_cast<volatile uint16_t*>(uintptr_t{address});
            value(bf16_t(bits));
        } else {
            value(*reinterpret_cast<volatile float*>(uintptr_t{address}));
        }
        put(' ');
    }

    template <typename T>
    void value(const T& given, bool hexadecimal = false) {
        if constexpr (std::is_same_v<T, bf16_t>) {
            number("%g", double(__builtin_bit_cast(float, uint32_t{given.bits} << 16)));
        } else if constexpr (std::is_same_v<T, F32> || std::is_same_v<T, U32>) {
            value(given.value, hexadecimal);
        } else if constexpr (requires { given.is_untilized; }) {
            slice(given);
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

// How numbers look from `HEX()` on, until `DEC()`.
struct print_state {
    bool is_hexadecimal;
};

struct stream {
    template <typename T>
    const stream& operator<<(const T& value) const {
        auto& state = kept<print_state, kept_by::print, kept_by::end>();
        if constexpr (std::is_same_v<T, HEX> || std::is_same_v<T, DEC>) {
            state.is_hexadecimal = std::is_same_v<T, HEX>;
        } else {
            text out;
            out.value(value, state.is_hexadecimal);
            tw_calls->print(TW_HERE, out.bytes, out.length);
        }
        return *this;
    }
};

}  // namespace tw

inline constexpr tw::stream DPRINT{};

#define TW_PRINT(...) tw::print(TW_HERE, __VA_ARGS__)
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
