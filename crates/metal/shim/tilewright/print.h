// Values as text: the replacement fields of `DPRINT("{:>8.3f}\n", x)` and the manipulators of `DPRINT << x`.

#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tw {

// What stands in a replacement field: [[fill]align][sign][#][0][width][.precision][type].
struct print_spec {
    char fill = ' ';
    char align = 0;
    char sign = '-';
    bool has_prefix = false;
    bool has_zeros = false;
    int width = 0;
    int precision = -1;
    char type = 0;
};

// Reads a field from behind its brace; gives the letter behind its end. Arguments are taken in order.
inline const char* read_spec(const char* at, print_spec& spec) {
    const auto is_align = [](char letter) { return letter == '<' || letter == '>' || letter == '^'; };
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    const auto number = [&](int& value) {
        for (value = 0; is_digit(*at) && value < 1000; ++at) {
            value = value * 10 + (*at - '0');
        }
    };
    while (is_digit(*at)) {
        ++at;
    }
    if (*at == ':') {
        ++at;
        if (*at != 0 && is_align(at[1])) {
            spec.fill = at[0];
            spec.align = at[1];
            at += 2;
        } else if (is_align(*at)) {
            spec.align = *at++;
        }
        if (*at == '+' || *at == '-' || *at == ' ') {
            spec.sign = *at++;
        }
        spec.has_prefix = *at == '#';
        at += spec.has_prefix;
        spec.has_zeros = *at == '0';
        at += spec.has_zeros;
        number(spec.width);
        if (*at == '.') {
            ++at;
            number(spec.precision);
        }
        while (*at != 0 && *at != '}') {
            spec.type = *at++;
        }
    }
    return at + (*at == '}');
}

// A line of text under construction; what does not fit is cut off.
struct text {
    char bytes[2048];
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
    void repeat(char letter, int times) {
        for (; times > 0; --times) {
            put(letter);
        }
    }

    // Letters at their place in the field's width; numbers stand to the right unless told otherwise.
    void padded(const char* sign, const char* letters, const print_spec& spec, char align) {
        const int room = spec.width - static_cast<int>(std::strlen(sign) + std::strlen(letters));
        const char side = spec.align != 0 ? spec.align : align;
        const bool is_zeros = spec.has_zeros && spec.align == 0 && align == '>';
        const int left = is_zeros || side == '<' ? 0 : side == '^' ? room / 2 : room;
        repeat(spec.fill, left);
        put(sign);
        repeat('0', is_zeros ? room : 0);
        put(letters);
        repeat(spec.fill, is_zeros ? 0 : room - (left > 0 ? left : 0));
    }

    void whole(unsigned long long magnitude, bool is_negative, const print_spec& spec) {
        const int base = spec.type == 'x' || spec.type == 'X' ? 16 : spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : 10;
        char digits[72] = {};
        *std::to_chars(digits, digits + 70, magnitude, base).ptr = 0;
        for (char* digit = digits; spec.type == 'X' && *digit != 0; ++digit) {
            *digit = *digit >= 'a' ? static_cast<char>(*digit - 'a' + 'A') : *digit;
        }
        char sign[4] = {};
        int at = 0;
        if (is_negative || spec.sign != '-') {
            sign[at++] = is_negative ? '-' : spec.sign;
        }
        if (spec.has_prefix && base != 10) {
            sign[at++] = '0';
            sign[at++] = spec.type;
        }
        sign[at - (spec.has_prefix && base == 8)] = 0;
        padded(sign, digits, spec, '>');
    }

    // The shortest digits that give the same float, unless the field says how many.
    void real(float value, const print_spec& spec) {
        char digits[160] = {};
        const float magnitude = __builtin_signbit(value) ? -value : value;
        if (spec.type == 0 && spec.precision < 0) {
            shortest(magnitude, digits);
        } else {
            char format[8] = {'%', '.', '*', spec.type == 0 ? 'g' : spec.type, 0};
            std::snprintf(digits, sizeof(digits), format, spec.precision < 0 ? 6 : spec.precision, double(magnitude));
        }
        const bool is_negative = __builtin_signbit(value);
        const char sign[2] = {is_negative ? '-' : spec.sign == '-' ? '\0' : spec.sign, 0};
        padded(sign, digits, spec, '>');
    }
    // Plain from 0.0001 up to 16 digits before the point, with an exponent beyond.
    static void shortest(float value, char* out) {
        char digits[64] = {};
        *std::to_chars(digits, digits + 60, value, std::chars_format::scientific).ptr = 0;
        char* exponent = std::strchr(digits, 'e');
        if (exponent == nullptr) {
            std::strcpy(out, digits);
            return;
        }
        int power = 0;
        std::from_chars(exponent + (exponent[1] == '+' ? 2 : 1), exponent + std::strlen(exponent), power);
        if (power < -4 || power >= 16) {
            std::strcpy(out, digits);
            return;
        }
        *exponent = 0;
        char plain[32] = {digits[0]};
        std::strcpy(plain + 1, digits[1] == '.' ? digits + 2 : digits + 1);
        const int count = static_cast<int>(std::strlen(plain));
        if (power < 0) {
            *out++ = '0';
            *out++ = '.';
        }
        for (int place = power < 0 ? power + 1 : 0; place <= power || place < count; ++place) {
            if (power >= 0 && place == power + 1) {
                *out++ = '.';
            }
            *out++ = place >= 0 && place < count ? plain[place] : '0';
        }
        *out = 0;
    }
};

}  // namespace tw
