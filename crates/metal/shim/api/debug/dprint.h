// DPRINT: text with `{}` or `{:>8.3f}` for each argument. It cannot hang: nothing waits for a reader.
//
// The older form, `DPRINT << value << ENDL()`, has manipulators in place of fields.

#pragma once

#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "internal/circular_buffer_interface.h"
#include "internal/data_format.h"
#include "internal/risc_attribs.h"
#include "tilewright/call.h"
#include "tilewright/print.h"

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
    int width;
    bool is_sticky;
    constexpr SETW(int width, bool is_sticky = true) : width(width), is_sticky(is_sticky) {}
};
struct SETPRECISION {
    int digits;
    constexpr SETPRECISION(int digits) : digits(digits) {}
};

// Rows and columns of a tile to print.
struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static constexpr SliceRange h0_32_w1() { return {0, 32, 1, 1, 2, 1}; }
    static constexpr SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
};
enum tw_slice_source { TSLICE_INPUT_CB, TSLICE_OUTPUT_CB };
enum tw_slice_pointer { TSLICE_RD_PTR, TSLICE_WR_PTR };
// Some elements of a tile in a ring. On data movement the ring and its pointer are told.
template <int MaxCount = 64>
struct TileSlice {
    static constexpr int max_count = MaxCount;
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
// What tt-metal's documentation of device_print calls it.
#define TSLICE(...) TileSlice<64>(__VA_ARGS__)

namespace tw {

// A value by its type. Enumerations and classes are printed as the numbers that they convert to.
template <typename T>
inline void value(text& out, const T& given, const print_spec& spec);

// An element of a tile that begins at `address`: its place in the faces, or in rows.
inline void element(text& out, uint32_t address, uint32_t place, DataFormat format, const print_spec& spec) {
    const auto load = [address]<typename T>(uint32_t at, T) {
        return *reinterpret_cast<volatile T*>(uintptr_t{address} + at * sizeof(T));
    };
    switch (format) {
        case DataFormat::Float32: return out.real(load(place, float{}), spec);
        case DataFormat::Float16_b: return value(out, bf16_t(load(place, uint16_t{})), spec);
        case DataFormat::Int32: return value(out, load(place, int32_t{}), spec);
        case DataFormat::UInt32: return value(out, load(place, uint32_t{}), spec);
        case DataFormat::UInt16: return value(out, load(place, uint16_t{}), spec);
        case DataFormat::UInt8: return value(out, uint32_t{load(place, uint8_t{})}, spec);
        case DataFormat::Bfp8_b: {
            // An exponent for each 16 values, all of them first; then sign and seven bits of each value.
            const int exponent = load(place / 16, uint8_t{});
            const uint8_t bits = load(64 + place, uint8_t{});
            const float magnitude = __builtin_ldexpf(float(bits & 0x7f), exponent - 127 - 6);
            return out.real(bits & 0x80 ? -magnitude : magnitude, spec);
        }
        default: return out.put("?");
    }
}

template <typename Slice>
inline void slice(text& out, const Slice& given, const print_spec& spec) {
#ifdef TRISC_MATH
    out.put("<math has no tiles to print>");
#else
    const tw_ring ring = ring_of(given.cb);
    const uint32_t pointer = given.is_at_write_pointer ? ring.write_pointer : ring.read_pointer;
    const uint32_t address = pointer + given.tile * ring.page_bytes;
    const DataFormat format = static_cast<DataFormat>(unpack_src_format[given.cb]);
    int left = Slice::max_count;
    for (uint32_t h = given.range.h0; h < given.range.h1; h += given.range.hs) {
        for (uint32_t w = given.range.w0; w < given.range.w1 && left >= 0; w += given.range.ws) {
            if (left-- == 0) {
                out.put("<cut: a slice shows at most as many elements as its template argument>\n");
                return;
            }
            const uint32_t faces = (h / 16 * 2 + w / 16) * 256 + h % 16 * 16 + w % 16;
            out.put(w == given.range.w0 ? "" : " ");
            element(out, address, given.is_untilized ? faces : h * 32 + w, format, spec);
        }
        out.put(given.has_line_ends ? "\n" : "");
    }
#endif
}

template <typename T>
inline void value(text& out, const T& given, const print_spec& spec) {
    if constexpr (std::is_same_v<T, bf16_t>) {
        out.real(__builtin_bit_cast(float, uint32_t{given.bits} << 16), spec);
    } else if constexpr (std::is_same_v<T, F32> || std::is_same_v<T, U32>) {
        value(out, given.value, spec);
    } else if constexpr (requires { given.is_untilized; }) {
        slice(out, given, spec);
    } else if constexpr (std::is_same_v<T, ENDL>) {
        out.put('\n');
    } else if constexpr (std::is_same_v<T, char>) {
        const char letters[2] = {given, 0};
        out.padded("", letters, spec, '<');
    } else if constexpr (std::is_same_v<T, bool>) {
        out.padded("", given ? "true" : "false", spec, '<');
    } else if constexpr (std::is_enum_v<T>) {
        value(out, static_cast<std::underlying_type_t<T>>(given), spec);
    } else if constexpr (std::is_floating_point_v<T>) {
        out.real(float(given), spec);
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
        const long long whole = given;
        out.whole(whole < 0 ? 0ull - static_cast<unsigned long long>(whole) : static_cast<unsigned long long>(whole), whole < 0, spec);
    } else if constexpr (std::is_integral_v<T>) {
        out.whole(given, false, spec);
    } else if constexpr (std::is_convertible_v<const T&, const char*>) {
        out.padded("", static_cast<const char*>(given), spec, '<');
    } else if constexpr (std::is_pointer_v<T>) {
        // L1 pointers; the place in the slot is what the device would print.
        print_spec hexadecimal = spec;
        hexadecimal.type = 'x';
        hexadecimal.has_prefix = true;
        out.whole(reinterpret_cast<uintptr_t>(given) & 0x1fffff, false, hexadecimal);
    } else if constexpr (std::is_convertible_v<const T&, uint32_t>) {
        out.whole(static_cast<uint32_t>(given), false, spec);
    }
}

// Copies up to the next place for a value; true if there is one. `{{` is a brace.
inline bool next_place(const char*& format, text& out, print_spec& spec) {
    while (*format != 0) {
        if (format[0] == '{' && format[1] != '{') {
            spec = print_spec();
            format = read_spec(format + 1, spec);
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
    [[maybe_unused]] print_spec spec;
    ((next_place(format, out, spec) ? value(out, args, spec) : void()), ...);
    while (next_place(format, out, spec)) {
    }
    tw_calls->print(site, out.bytes, out.length);
}

// Prints a text by the words of its literals: quotes and escapes are as in the source.
inline void print_literal(tw_site site, const char* words) {
    text format;
    bool is_within = false;
    for (; *words != 0; ++words) {
        if (*words == '"') {
            is_within = !is_within;
        } else if (is_within && *words == '\\') {
            ++words;
            format.put(*words == 'n' ? '\n' : *words == 't' ? '\t' : *words);
        } else if (is_within) {
            format.put(*words);
        }
    }
    format.bytes[format.length < sizeof(format.bytes) ? format.length : sizeof(format.bytes) - 1] = 0;
    print(site, format.bytes);
}

// How values look that `DPRINT << value` prints, until told otherwise; all zeros at first.
struct print_state {
    char base;  // x, o, or 0 for decimal
    bool is_fixed;
    bool is_sticky;
    uint8_t width;
    uint8_t digits;  // after the point or in all, and one more; 0 for six
};

struct stream {
    template <typename T>
    const stream& operator<<(const T& given) const {
        auto& state = kept<print_state, kept_by::print, kept_by::end>();
        if constexpr (std::is_same_v<T, HEX>) {
            state.base = 'x';
        } else if constexpr (std::is_same_v<T, OCT>) {
            state.base = 'o';
        } else if constexpr (std::is_same_v<T, DEC>) {
            state.base = 0;
        } else if constexpr (std::is_same_v<T, FIXED> || std::is_same_v<T, DEFAULTFLOAT>) {
            state.is_fixed = std::is_same_v<T, FIXED>;
        } else if constexpr (std::is_same_v<T, SETPRECISION>) {
            state.digits = static_cast<uint8_t>(given.digits + 1);
        } else if constexpr (std::is_same_v<T, SETW>) {
            state.width = static_cast<uint8_t>(given.width);
            state.is_sticky = given.is_sticky;
        } else {
            text out;
            value(out, given, spec_of<T>(state));
            if (!std::is_same_v<T, ENDL> && !state.is_sticky) {
                state.width = 0;
            }
            tw_calls->print(TW_HERE, out.bytes, out.length);
        }
        return *this;
    }

    template <typename T>
    static print_spec spec_of(const print_state& state) {
        constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, F32> || std::is_same_v<T, bf16_t> ||
                                 requires(T slice) { slice.is_untilized; };
        print_spec spec;
        spec.width = state.width;
        spec.align = '>';
        if (is_real) {
            spec.type = state.is_fixed ? 'f' : 'g';
            spec.precision = state.digits == 0 ? 6 : state.digits - 1;
        } else {
            spec.type = state.base;
        }
        return spec;
    }
};

}  // namespace tw

inline constexpr tw::stream DPRINT{};

#define TW_PRINT(...) tw::print(TW_HERE, __VA_ARGS__)
#define DEVICE_PRINT(...) TW_PRINT(__VA_ARGS__)
#define DPRINT(...) TW_PRINT(__VA_ARGS__)

// Macros of one processor. One argument alone is a text, or in the older form a statement: only the
// words that it is written in tell which.
#define TW_WORDS_AS_WRITTEN(...) #__VA_ARGS__
#define TW_WORDS(...) TW_WORDS_AS_WRITTEN(__VA_ARGS__)
#define TW_PRINT_ONE(it)                               \
    ({                                                 \
        if constexpr (TW_WORDS(it)[0] == '"') {        \
            tw::print_literal(TW_HERE, TW_WORDS(it));  \
        } else {                                       \
            it;                                        \
        }                                              \
    })
#define TW_FIRST(it, ...) it
#define TW_PRINT_ANY(it, ...) TW_FIRST(__VA_OPT__(TW_PRINT, ) TW_PRINT_ONE)(it __VA_OPT__(, ) __VA_ARGS__)

#ifdef TRISC_UNPACK
#define DPRINT_UNPACK(...) TW_PRINT_ANY(__VA_ARGS__)
#else
#define DPRINT_UNPACK(...)
#endif
#ifdef TRISC_MATH
#define DPRINT_MATH(...) TW_PRINT_ANY(__VA_ARGS__)
#else
#define DPRINT_MATH(...)
#endif
#ifdef TRISC_PACK
#define DPRINT_PACK(...) TW_PRINT_ANY(__VA_ARGS__)
#else
#define DPRINT_PACK(...)
#endif
#ifdef COMPILE_FOR_BRISC
#define DPRINT_DATA0(...) TW_PRINT_ANY(__VA_ARGS__)
#else
#define DPRINT_DATA0(...)
#endif
#ifdef COMPILE_FOR_NCRISC
#define DPRINT_DATA1(...) TW_PRINT_ANY(__VA_ARGS__)
#else
#define DPRINT_DATA1(...)
#endif
#define DEVICE_PRINT_UNPACK DPRINT_UNPACK
#define DEVICE_PRINT_MATH DPRINT_MATH
#define DEVICE_PRINT_PACK DPRINT_PACK
