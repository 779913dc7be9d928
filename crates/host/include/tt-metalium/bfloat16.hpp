// 16-bit floating-point numbers on the host: arithmetic is done in 32 bits and rounded to nearest.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

class bfloat16 {
public:
    constexpr bfloat16() = default;
    template <class T>
        requires std::is_arithmetic_v<T>
    constexpr bfloat16(T value) noexcept : bits_(rounded(static_cast<float>(value))) {}

    static constexpr bfloat16 truncate(float value) {
        bfloat16 made;
        made.bits_ = std::bit_cast<uint32_t>(value) >> 16;
        return made;
    }

    constexpr operator float() const {
        return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16);
    }
    constexpr bool operator==(bfloat16 other) const { return float(*this) == float(other); }
    constexpr std::partial_ordering operator<=>(bfloat16 other) const {
        return float(*this) <=> float(other);
    }
    bfloat16 operator+(bfloat16 other) const { return float(*this) + float(other); }
    bfloat16 operator-(bfloat16 other) const { return float(*this) - float(other); }
    bfloat16 operator*(bfloat16 other) const { return float(*this) * float(other); }
    bfloat16 operator/(bfloat16 other) const { return float(*this) / float(other); }
    bfloat16& operator+=(bfloat16 other) { return *this = *this + other; }
    bfloat16& operator-=(bfloat16 other) { return *this = *this - other; }
    bfloat16& operator*=(bfloat16 other) { return *this = *this * other; }
    bfloat16& operator/=(bfloat16 other) { return *this = *this / other; }

private:
    static constexpr uint16_t rounded(float value) {
        uint32_t bits = std::bit_cast<uint32_t>(value);
        if ((bits & 0x7fffffff) > 0x7f800000) {
            return static_cast<uint16_t>(bits >> 16 | 0x40);
        }
        return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }

    uint16_t bits_ = 0;
};

inline std::ostream& operator<<(std::ostream& to, const bfloat16& value) {
    return to << static_cast<float>(value);
}

// The first of the two is in the lower half.
uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two);
std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(uint32_t word);
std::vector<uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16>& values);

inline bfloat16 bfloat16_identity_transform(const bfloat16& value) { return value; }

std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<uint32_t>& words,
    const std::function<bfloat16(const bfloat16&)>& transform = bfloat16_identity_transform);

std::vector<bfloat16> create_random_vector_of_bfloat16_native(
    size_t num_bytes, float rand_max_float, int seed, float offset = 0.0f);
std::vector<uint32_t> create_random_vector_of_bfloat16(
    size_t num_bytes, int rand_max_float, int seed, float offset = 0.0f);
std::vector<uint32_t> create_constant_vector_of_bfloat16(size_t num_bytes, float value);
std::vector<bfloat16> create_identity_matrix(int rows, int cols, int num_ones);

inline bool is_close(float a, float b, float rtol = 0.01f, float atol = 0.001f) {
    float larger = std::max(std::fabs(a), std::fabs(b));
    return std::fabs(a - b) <= atol + rtol * larger;
}
