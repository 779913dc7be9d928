// The part of {fmt} that host programs use: format strings with widths, precisions and types,
// ranges, pairs, enumerations and types with `operator<<`. A user's own {fmt} may replace it.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fmt {

class format_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

namespace detail {

// What stands between the braces after the colon.
struct Spec {
    char fill = ' ';
    char align = 0;
    char sign = 0;
    bool alternate = false;
    bool zero = false;
    int width = -1;
    int precision = -1;
    char type = 0;
    std::string_view rest;  // For ranges: what applies to their elements.
};

inline bool is_align(char c) { return c == '<' || c == '>' || c == '^'; }

inline int number(std::string_view& text) {
    int value = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
        value = value * 10 + (text[0] - '0');
        text.remove_prefix(1);
    }
    return value;
}

inline Spec parse(std::string_view text) {
    Spec spec;
    auto next = [&] { return text.empty() ? '\0' : text[0]; };
    auto take = [&] { char c = next(); text.remove_prefix(1); return c; };
    if (text.size() > 1 && is_align(text[1])) {
        spec.fill = take();
        spec.align = take();
    } else if (is_align(next())) {
        spec.align = take();
    }
    if (next() == '+' || next() == '-' || next() == ' ') { spec.sign = take(); }
    if (next() == '#') { spec.alternate = true; take(); }
    if (next() == '0') { spec.zero = true; take(); }
    if (next() >= '1' && next() <= '9') { spec.width = number(text); }
    if (next() == '.') { take(); spec.precision = number(text); }
    if (next() == 'L') { take(); }
    if (next() != '\0' && next() != ':') { spec.type = take(); }
    if (next() == ':') { take(); spec.rest = text; return spec; }
    if (!text.empty()) { throw format_error("invalid format specifier"); }
    return spec;
}

// Pads a text to the width; `prefix` (sign and base) stays in front of zeros.
inline void pad(std::string& out, const Spec& spec, std::string_view prefix,
                std::string_view body, char usual) {
    std::size_t length = prefix.size() + body.size();
    std::size_t missing = spec.width > static_cast<int>(length) ? spec.width - length : 0;
    if (spec.zero && spec.align == 0) {
        out.append(prefix).append(missing, '0').append(body);
        return;
    }
    char align = spec.align ? spec.align : usual;
    std::size_t left = align == '<' ? 0 : align == '>' ? missing : missing / 2;
    out.append(left, spec.fill).append(prefix).append(body).append(missing - left, spec.fill);
}

inline void write_text(std::string& out, const Spec& spec, std::string_view text) {
    if (spec.precision >= 0) { text = text.substr(0, spec.precision); }
    pad(out, spec, "", text, '<');
}

inline std::string sign_of(const Spec& spec, bool negative) {
    if (negative) { return "-"; }
    return spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

inline void write_integer(std::string& out, const Spec& spec, bool negative, uint64_t value) {
    if (spec.type == 'c') {
        return write_text(out, spec, std::string(1, static_cast<char>(value)));
    }
    int base = spec.type == 'x' || spec.type == 'X' ? 16
        : spec.type == 'b' || spec.type == 'B' ? 2 : spec.type == 'o' ? 8 : 10;
    char digits[72];
    auto end = std::to_chars(digits, digits + sizeof(digits), value, base).ptr;
    std::string body(digits, end), prefix = sign_of(spec, negative);
    if (spec.type == 'X') {
        for (char& c : body) { c = c >= 'a' ? c - 32 : c; }
    }
    if (spec.alternate && base != 10) {
        prefix += base == 8 ? "0" : std::string("0") + spec.type;
    }
    pad(out, spec, prefix, body, '>');
}

template <class Number>
void write_float(std::string& out, const Spec& spec, Number value) {
    bool negative = std::signbit(value);
    Number size = negative ? -value : value;
    std::string body;
    if (!std::isfinite(value)) {
        body = std::isnan(value) ? "nan" : "inf";
    } else {
        char digits[512];
        char type = spec.type | 32;
        auto style = type == 'f' ? std::chars_format::fixed
            : type == 'e' ? std::chars_format::scientific : std::chars_format::general;
        bool is_shortest = spec.precision < 0 && (spec.type == 0);
        int precision = spec.precision < 0 ? 6 : spec.precision;
        auto end = is_shortest ? std::to_chars(digits, digits + sizeof(digits), size).ptr
            : std::to_chars(digits, digits + sizeof(digits), size, style, precision).ptr;
        body.assign(digits, end);
    }
    pad(out, spec, sign_of(spec, negative), body, '>');
}

template <class T>
concept Streamed = requires(std::ostream& to, const T& value) { to << value; };
template <class T>
concept Named = requires(const T& value) { { fmt_name(value) } -> std::convertible_to<std::string>; };
template <class T>
concept Range = requires(const T& value) { std::begin(value); std::end(value); };
template <class T>
struct is_pair : std::false_type {};
template <class A, class B>
struct is_pair<std::pair<A, B>> : std::true_type {};

template <class T>
void write(std::string& out, const Spec& spec, const T& value);

template <class T>
void write_range(std::string& out, const Spec& spec, const T& all) {
    Spec each = parse(spec.rest);
    bool first = true;
    out += '[';
    for (const auto& one : all) {
        if (!first) { out += ", "; }
        first = false;
        if constexpr (std::is_convertible_v<decltype(one), std::string_view>) {
            out.append("\"").append(std::string_view(one)).append("\"");
        } else {
            write(out, each, one);
        }
    }
    out += ']';
}

template <class T>
void write(std::string& out, const Spec& spec, const T& value) {
    using Plain = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<Plain, bool>) {
        if (spec.type == 'd') { return write_integer(out, spec, false, value); }
        write_text(out, spec, value ? "true" : "false");
    } else if constexpr (std::is_same_v<Plain, char>) {
        if (spec.type && spec.type != 'c') { return write_integer(out, spec, value < 0, value); }
        write_text(out, spec, std::string_view(&value, 1));
    } else if constexpr (std::is_integral_v<Plain>) {
        bool negative = value < Plain{};
        uint64_t size = negative ? uint64_t{} - static_cast<uint64_t>(value) : value;
        if (spec.type && std::string_view("eEfFgG").find(spec.type) != std::string_view::npos) {
            throw format_error("an integer with a format for floating-point numbers");
        }
        write_integer(out, spec, negative, size);
    } else if constexpr (std::is_floating_point_v<Plain>) {
        write_float(out, spec, value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        write_text(out, spec, std::string_view(value));
    } else if constexpr (std::is_pointer_v<Plain>) {
        Spec hexadecimal = spec;
        hexadecimal.type = 'x';
        hexadecimal.alternate = true;
        write_integer(out, hexadecimal, false, reinterpret_cast<uintptr_t>(value));
    } else if constexpr (Named<Plain>) {
        write_text(out, spec, fmt_name(value));
    } else if constexpr (std::is_enum_v<Plain> && !Streamed<Plain>) {
        write(out, spec, static_cast<std::underlying_type_t<Plain>>(value));
    } else if constexpr (is_pair<Plain>::value) {
        out += '(';
        write(out, Spec{}, value.first);
        out += ", ";
        write(out, Spec{}, value.second);
        out += ')';
    } else if constexpr (Streamed<Plain>) {
        std::ostringstream text;
        text << value;
        write_text(out, spec, text.str());
    } else if constexpr (Range<Plain>) {
        write_range(out, spec, value);
    } else if constexpr (std::is_convertible_v<const T&, float>) {
        write_float(out, spec, static_cast<float>(value));
    } else {
        static_assert(!sizeof(T), "fmt cannot print this type: give it an operator<<");
    }
}

// One argument, whatever its type.
struct Argument {
    const void* value;
    void (*write)(std::string&, const Spec&, const void*);
    int64_t (*count)(const void*);
};

template <class T>
Argument argument(const T& value) {
    return {
        &value,
        [](std::string& out, const Spec& spec, const void* it) {
            detail::write(out, spec, *static_cast<const T*>(it));
        },
        [](const void* it) -> int64_t {
            if constexpr (std::is_integral_v<T>) {
                return static_cast<int64_t>(*static_cast<const T*>(it));
            } else {
                throw format_error("a width or precision must be an integer");
            }
        }};
}

// A specifier with its nested `{}` replaced by arguments.
inline std::string resolved(std::string_view spec, const std::vector<Argument>& all,
                            std::size_t& next) {
    std::string out;
    for (std::size_t at = 0; at < spec.size(); at++) {
        if (spec[at] != '{') { out += spec[at]; continue; }
        std::size_t close = spec.find('}', at);
        if (close == std::string_view::npos) { throw format_error("a brace is not closed"); }
        std::string_view inner = spec.substr(at + 1, close - at - 1);
        std::size_t index = inner.empty() ? next++ : number(inner);
        if (index >= all.size()) { throw format_error("argument not found"); }
        out += std::to_string(all[index].count(all[index].value));
        at = close;
    }
    return out;
}

// Where the braces that open at `from` close.
inline std::size_t closing(std::string_view text, std::size_t from) {
    int depth = 0;
    for (std::size_t at = from; at < text.size(); at++) {
        if (text[at] == '{') { depth++; }
        if (text[at] == '}' && --depth == 0) { return at; }
    }
    throw format_error("a brace is not closed");
}

inline std::string vformat(std::string_view text, const std::vector<Argument>& all) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t at = 0; at < text.size(); at++) {
        char c = text[at];
        bool is_doubled = at + 1 < text.size() && text[at + 1] == c;
        if ((c == '{' || c == '}') && is_doubled) { out += c; at++; continue; }
        if (c == '}') { throw format_error("a brace is not opened"); }
        if (c != '{') { out += c; continue; }
        std::size_t close = closing(text, at);
        std::string_view field = text.substr(at + 1, close - at - 1);
        std::size_t colon = field.find(':');
        std::string_view name = field.substr(0, colon);
        std::size_t index = name.empty() ? next++ : number(name);
        if (index >= all.size()) { throw format_error("argument not found"); }
        std::string_view spec = colon == std::string_view::npos ? "" : field.substr(colon + 1);
        all[index].write(out, parse(resolved(spec, all, next)), all[index].value);
        at = close;
    }
    return out;
}

}  // namespace detail

// A format string. It is checked when it is used.
template <class... Args>
class basic_format_string {
public:
    template <class Text>
        requires std::is_convertible_v<const Text&, std::string_view>
    constexpr basic_format_string(const Text& text) : text_(text) {}
    constexpr operator std::string_view() const { return text_; }
    constexpr std::string_view get() const { return text_; }

private:
    std::string_view text_;
};

template <class... Args>
using format_string = basic_format_string<std::type_identity_t<Args>...>;

inline std::string_view runtime(std::string_view text) { return text; }

template <class... Args>
std::string format(format_string<Args...> text, const Args&... args) {
    return detail::vformat(text, {detail::argument(args)...});
}

template <class Out, class... Args>
Out format_to(Out out, format_string<Args...> text, const Args&... args) {
    for (char c : format(text, args...)) { *out++ = c; }
    return out;
}

template <class... Args>
std::size_t formatted_size(format_string<Args...> text, const Args&... args) {
    return format(text, args...).size();
}

template <class... Args>
void print(std::FILE* to, format_string<Args...> text, const Args&... args) {
    std::string line = format(text, args...);
    std::fwrite(line.data(), 1, line.size(), to);
}

template <class... Args>
void print(format_string<Args...> text, const Args&... args) {
    print(stdout, text, args...);
}

template <class... Args>
void print(std::ostream& to, format_string<Args...> text, const Args&... args) {
    to << format(text, args...);
}

template <class... Args>
void println(std::FILE* to, format_string<Args...> text, const Args&... args) {
    std::string line = format(text, args...) + "\n";
    std::fwrite(line.data(), 1, line.size(), to);
}

template <class... Args>
void println(format_string<Args...> text, const Args&... args) {
    println(stdout, text, args...);
}

// Text that grows; `append` takes views and pairs of pointers.
class memory_buffer {
public:
    using value_type = char;

    void push_back(char c) { text_.push_back(c); }
    void append(std::string_view text) { text_.append(text); }
    void append(const char* first, const char* last) { text_.append(first, last); }
    void clear() { text_.clear(); }
    void reserve(std::size_t size) { text_.reserve(size); }
    void resize(std::size_t size) { text_.resize(size); }
    std::size_t size() const { return text_.size(); }
    char* data() { return text_.data(); }
    const char* data() const { return text_.data(); }
    char* begin() { return text_.data(); }
    char* end() { return text_.data() + text_.size(); }
    char& operator[](std::size_t at) { return text_[at]; }

private:
    std::string text_;
};

inline std::string to_string(const memory_buffer& buffer) {
    return std::string(buffer.data(), buffer.size());
}

// The elements of a range with a text between them.
template <class All>
std::string join(const All& all, std::string_view separator) {
    std::string out;
    bool first = true;
    for (const auto& one : all) {
        if (!first) { out.append(separator); }
        first = false;
        detail::write(out, detail::Spec{}, one);
    }
    return out;
}

template <class T>
std::string streamed(const T& value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

template <class T>
std::string to_string(const T& value) {
    std::string out;
    detail::write(out, detail::Spec{}, value);
    return out;
}

template <class T>
auto underlying(T value) { return static_cast<std::underlying_type_t<T>>(value); }

template <class T>
const void* ptr(const T* value) { return value; }

}  // namespace fmt

#define FMT_COMPILE(text) text
#define FMT_STRING(text) text
