// Vectors of 32 lanes as kernels write them. A vector is a name: what is done with it is recorded,
// and executed when the kernel calls anything else. Literals are told from numbers that only the
// running kernel knows, because the sfpi compiler joins the two differently.

#pragma once

#include <cstdint>
#include <type_traits>

#include "internal/sfpi/constants.h"
#include "tilewright/call.h"

#define sfpi_inline inline __attribute__((always_inline))

namespace sfpi {

class vFloat;
class vInt;
class vUInt;
class vSMag;
class vBool;
enum class LRegs : uint8_t { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7, LRegCount = SFP_LREG_COUNT };

// How Dst holds a vector.
enum class DataLayout { Default, FSrcB, F32, F16a, F16b, I32, U32, U16, SM32, SM16, M32, LO16, HI16 };

namespace impl_ {

// The name of a vector, and what the host's compiler can tell of where it was made: the sfpi
// compiler joins a product with a sum in the same basic block only. `factors` counts products that
// lead to a product; behind a loop of unknown length it is no constant.
struct sfpu_t {
    uint32_t name;
    uint32_t factors = 0;
    bool is_carried = false;
};

sfpi_inline sfpu_t lanes(uint32_t op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0) {
    return {tw_calls->vector_lanes(TW_HERE, op, a, b, c, d)};
}
sfpi_inline uint32_t float_as_uint(float value) { return __builtin_bit_cast(uint32_t, value); }
// A word in every lane.
sfpi_inline sfpu_t word(uint32_t bits, bool is_literal) { return lanes(TW_LANE_OF_WORD, bits, is_literal); }
#define TW_WORD(value) ::sfpi::impl_::word(static_cast<uint32_t>(value), __builtin_constant_p(value))
// An instruction whose second operand is a number.
#define TW_LANES_WORD(op, a, value)                                                                     \
    ::sfpi::impl_::lanes(                                                                               \
        (op) | TW_LANE_WORD | (__builtin_constant_p(value) ? TW_LANE_LITERAL : 0), (a).name, \
        static_cast<uint32_t>(value))

class vVal {
    uint32_t name = TW_NONE;
    uint32_t factors = 0;
    bool is_carried = false;  // assigned where another turn of a loop may have assigned, too

public:
    sfpi_inline vVal() = default;
    sfpi_inline vVal(const vVal&) = default;
    sfpi_inline explicit vVal(sfpu_t of) : name(of.name), factors(of.factors), is_carried(of.is_carried) {}
    sfpi_inline vVal& operator=(const vVal& other) {
        name = lanes(TW_LANE_ASSIGN, name, other.name).name;
        is_carried = !__builtin_constant_p(factors);
        factors = other.factors;
        return *this;
    }
    sfpi_inline sfpu_t get() const { return {name, factors, is_carried}; }
    // Whether a product comes from another basic block, out of a loop.
    sfpi_inline bool is_from_loop() const { return !__builtin_constant_p(factors) && is_carried; }
};

sfpi_inline sfpu_t lanes(uint32_t op, const vVal& a) { return lanes(op, a.get().name); }
sfpi_inline sfpu_t lanes(uint32_t op, const vVal& a, const vVal& b) {
    return lanes(op, a.get().name, b.get().name);
}

template <typename Type>
using if_vector = std::enable_if_t<std::is_base_of_v<vVal, Type>, int>;

// A vector whose values are known to fit into less. `Scalar` may begin one.
template <typename Vector, typename Scalar>
class vNarrow : public Vector {
public:
    sfpi_inline vNarrow() = default;
    sfpi_inline vNarrow(const vNarrow&) = default;
    sfpi_inline vNarrow& operator=(const vNarrow&) = default;
    sfpi_inline explicit vNarrow(sfpu_t of) : Vector(of) {}
    template <typename Type, std::enable_if_t<std::is_constructible_v<Scalar, Type>, int> = 0>
    sfpi_inline explicit vNarrow(Type value) : Vector(Scalar(value)) {}
};

}  // namespace impl_

// Scalars of 16 bits.
class sFloat16a {
    uint16_t bits;

public:
    sfpi_inline explicit sFloat16a(float) = delete;
    sfpi_inline explicit sFloat16a(uint32_t value) : bits(static_cast<uint16_t>(value)) {}
    sfpi_inline explicit sFloat16a(int value) : bits(static_cast<uint16_t>(value)) {}
    sfpi_inline uint32_t get() const { return bits; }
};
class sFloat16b {
    uint16_t bits;

public:
    sfpi_inline explicit sFloat16b(float value) : bits(static_cast<uint16_t>(impl_::float_as_uint(value) >> 16)) {}
    sfpi_inline explicit sFloat16b(double value) : sFloat16b(static_cast<float>(value)) {}
    sfpi_inline explicit sFloat16b(uint32_t value) : bits(static_cast<uint16_t>(value)) {}
    sfpi_inline explicit sFloat16b(int value) : bits(static_cast<uint16_t>(value)) {}
    sfpi_inline uint32_t get() const { return bits; }
};
using s2vFloat16a = sFloat16a;
using s2vFloat16b = sFloat16b;

namespace impl_ {
sfpi_inline constexpr uint32_t half_word(uint32_t half) {
    const uint32_t exponent = half >> 10 & 31;
    return (half & 0x8000) << 16 | (exponent == 0 ? 0 : exponent + 112) << 23 | (half & 0x3ff) << 13;
}
}  // namespace impl_

class vFloat : public impl_::vVal {
public:
    sfpi_inline vFloat() = default;
    sfpi_inline vFloat(const vFloat&) = default;
    sfpi_inline vFloat& operator=(const vFloat&) = default;
    sfpi_inline vFloat(impl_::sfpu_t of) : vVal(of) {}
    sfpi_inline vFloat(float value)
        : vVal(impl_::word(impl_::float_as_uint(value), __builtin_constant_p(value))) {}
    sfpi_inline vFloat(sFloat16a value) : vVal(TW_WORD(impl_::half_word(value.get()))) {}
    sfpi_inline vFloat(sFloat16b value) : vVal(TW_WORD(value.get() << 16)) {}

    sfpi_inline vFloat& operator+=(vFloat other);
    sfpi_inline vFloat& operator-=(vFloat other);
    sfpi_inline vFloat& operator*=(vFloat other);
    sfpi_inline vFloat operator++(int);
    sfpi_inline vFloat operator++();
    sfpi_inline vFloat operator--(int);
    sfpi_inline vFloat operator--();
};

class vUInt : public impl_::vVal {
public:
    sfpi_inline vUInt() = default;
    sfpi_inline vUInt(const vUInt&) = default;
    sfpi_inline vUInt& operator=(const vUInt&) = default;
    sfpi_inline vUInt(impl_::sfpu_t of) : vVal(of) {}
    sfpi_inline explicit vUInt(vInt value);
    sfpi_inline vUInt(int16_t value) : vVal(TW_WORD(value)) {}
    sfpi_inline vUInt(uint16_t value) : vVal(TW_WORD(value)) {}
    sfpi_inline vUInt(int value) : vVal(TW_WORD(value)) {}
    sfpi_inline vUInt(unsigned value) : vVal(TW_WORD(value)) {}
    sfpi_inline vUInt(unsigned long value) : vVal(TW_WORD(value)) {}
    sfpi_inline vUInt(long value) : vVal(TW_WORD(value)) {}
    sfpi_inline operator vInt() const;

    sfpi_inline vUInt operator++();
    sfpi_inline vUInt operator--();
    sfpi_inline vUInt operator++(int);
    sfpi_inline vUInt operator--(int);
    sfpi_inline vUInt& operator+=(vUInt other);
    sfpi_inline vUInt& operator-=(vUInt other);
    sfpi_inline vUInt& operator<<=(vUInt by);
    sfpi_inline vUInt& operator>>=(vUInt by);
    sfpi_inline vUInt& operator<<=(unsigned by);
    sfpi_inline vUInt& operator>>=(unsigned by);
    sfpi_inline vUInt& operator&=(vUInt other);
    sfpi_inline vUInt& operator|=(vUInt other);
    sfpi_inline vUInt& operator^=(vUInt other);
};

// Sign and magnitude: a container.
class vSMag : public impl_::vVal {
public:
    sfpi_inline vSMag() = default;
    sfpi_inline vSMag(const vSMag&) = default;
    sfpi_inline vSMag& operator=(const vSMag&) = default;
    sfpi_inline explicit vSMag(impl_::sfpu_t of) : vVal(of) {}
    sfpi_inline explicit vSMag(uint32_t value) : vVal(TW_WORD(value)) {}
};

using vFloat16a = impl_::vNarrow<vFloat, sFloat16a>;
using vFloat16b = impl_::vNarrow<vFloat, sFloat16b>;
using vMag = impl_::vNarrow<vUInt, uint32_t>;
using vUInt16 = impl_::vNarrow<vMag, uint16_t>;
using vUInt8 = impl_::vNarrow<vUInt16, uint8_t>;
using vSMag16 = impl_::vNarrow<vSMag, void>;
using vSMag8 = impl_::vNarrow<vSMag16, void>;

class vInt : public impl_::vVal {
public:
    sfpi_inline vInt() = default;
    sfpi_inline vInt(const vInt&) = default;
    sfpi_inline vInt& operator=(const vInt&) = default;
    sfpi_inline vInt(impl_::sfpu_t of) : vVal(of) {}
    sfpi_inline explicit vInt(vUInt value) : vVal(value.get()) {}
    sfpi_inline vInt(int16_t value) : vVal(TW_WORD(value)) {}
    sfpi_inline vInt(uint16_t value) : vVal(TW_WORD(value)) {}
    sfpi_inline vInt(int value) : vVal(TW_WORD(value)) {}
    sfpi_inline vInt(unsigned value) : vVal(TW_WORD(value)) {}
    sfpi_inline vInt(unsigned long value) : vVal(TW_WORD(value)) {}
    sfpi_inline vInt(long value) : vVal(TW_WORD(value)) {}
    sfpi_inline operator vUInt() const { return vUInt(get()); }

    sfpi_inline vInt& operator+=(vInt other);
    sfpi_inline vInt& operator-=(vInt other);
    sfpi_inline vInt& operator<<=(unsigned by);
    sfpi_inline vInt& operator<<=(vUInt by);
    sfpi_inline vInt& operator&=(vInt other);
    sfpi_inline vInt& operator|=(vInt other);
    sfpi_inline vInt& operator^=(vInt other);
    sfpi_inline vInt operator++();
    sfpi_inline vInt operator++(int);
    sfpi_inline vInt operator--();
    sfpi_inline vInt operator--(int);
};

sfpi_inline vUInt::vUInt(vInt value) : vVal(value.get()) {}
sfpi_inline vUInt::operator vInt() const { return vInt(get()); }

}  // namespace sfpi
