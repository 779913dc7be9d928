// Arithmetic on vectors.

#pragma once

#include "internal/sfpi/vectors.h"

namespace sfpi {

// Floats. A difference is a sum with a negated value: the compiler joins the two.
sfpi_inline vFloat operator+(vFloat a) { return a; }
sfpi_inline vFloat operator-(vFloat a) { return impl_::lanes(TW_LANE_NEGATE, a); }
sfpi_inline vFloat operator+(vFloat a, vFloat b) {
    const uint32_t from_loops = a.is_from_loop() | b.is_from_loop() << 1;
    return impl_::lanes(TW_LANE_ADD, a.get().name, b.get().name, from_loops);
}
sfpi_inline vFloat operator-(vFloat a, vFloat b) { return a + -b; }
sfpi_inline vFloat operator*(vFloat a, vFloat b) {
    auto product = impl_::lanes(TW_LANE_MULTIPLY, a, b);
    product.factors = a.get().factors + b.get().factors + 1;
    return product;
}
sfpi_inline vFloat operator+(float a, vFloat b) { return b + vFloat(a); }
sfpi_inline vFloat operator-(float a, vFloat b) { return vFloat(a) - b; }
sfpi_inline vFloat operator*(float a, vFloat b) { return b * vFloat(a); }
sfpi_inline vFloat operator-(vFloat a, float b) { return a - vFloat(b); }
sfpi_inline vFloat& vFloat::operator+=(vFloat other) { return *this = *this + other; }
sfpi_inline vFloat& vFloat::operator-=(vFloat other) {
    const vFloat minus_one = -1.0f;
    return *this = vFloat(impl_::lanes(
               TW_LANE_MAD, minus_one.get().name, other.get().name, get().name));
}
sfpi_inline vFloat& vFloat::operator*=(vFloat other) { return *this = *this * other; }
sfpi_inline vFloat vFloat::operator++(int) {
    const vFloat before = *this;
    *this += vFloat(1.0f);
    return before;
}
sfpi_inline vFloat vFloat::operator++() { return *this += vFloat(1.0f); }
sfpi_inline vFloat vFloat::operator--(int) {
    const vFloat before = *this;
    *this -= vFloat(1.0f);
    return before;
}
sfpi_inline vFloat vFloat::operator--() { return *this -= vFloat(1.0f); }

// Integers with and without a sign: the same instructions.
#define TW_INTEGER(Type)                                                                                       \
    sfpi_inline Type operator+(Type a) { return a; }                                                           \
    sfpi_inline Type operator~(Type a) { return impl_::lanes(TW_LANE_NOT, a); }                                \
    sfpi_inline Type operator+(Type a, Type b) { return impl_::lanes(TW_LANE_ADD_INTEGER, a, b); }                    \
    sfpi_inline Type operator-(Type a, Type b) { return impl_::lanes(TW_LANE_SUB_INTEGER, a, b); }                    \
    sfpi_inline Type operator-(Type a) { return Type(0) - a; }                                                 \
    sfpi_inline Type operator&(Type a, Type b) { return impl_::lanes(TW_LANE_AND, a, b); }                     \
    sfpi_inline Type operator|(Type a, Type b) { return impl_::lanes(TW_LANE_OR, a, b); }                      \
    sfpi_inline Type operator^(Type a, Type b) { return impl_::lanes(TW_LANE_XOR, a, b); }                     \
    sfpi_inline Type operator+(Type a, int b) { return TW_LANES_WORD(TW_LANE_ADD_INTEGER, a.get(), b); }              \
    sfpi_inline Type operator-(Type a, int b) { return TW_LANES_WORD(TW_LANE_ADD_INTEGER, a.get(), 0u - b); }         \
    sfpi_inline Type operator+(Type a, unsigned b) { return TW_LANES_WORD(TW_LANE_ADD_INTEGER, a.get(), b); }         \
    sfpi_inline Type operator-(Type a, unsigned b) { return TW_LANES_WORD(TW_LANE_ADD_INTEGER, a.get(), 0u - b); }    \
    sfpi_inline Type operator+(int a, Type b) { return b + a; }                                                \
    sfpi_inline Type operator-(int a, Type b) { return Type(a) - b; }                                          \
    sfpi_inline Type operator<<(Type a, unsigned by) { return TW_LANES_WORD(TW_LANE_SHIFT, a.get(), by); }     \
    sfpi_inline Type operator<<(Type a, int by) { return TW_LANES_WORD(TW_LANE_SHIFT, a.get(), by); }          \
    sfpi_inline Type operator<<(Type a, vUInt by) { return impl_::lanes(TW_LANE_SHIFT, a, by); }               \
    TW_INTEGER_BITS(Type, &, TW_LANE_AND)                                                                      \
    TW_INTEGER_BITS(Type, |, TW_LANE_OR)                                                                       \
    TW_INTEGER_BITS(Type, ^, TW_LANE_XOR)                                                                      \
    sfpi_inline Type& Type::operator+=(Type other) { return *this = *this + other; }                           \
    sfpi_inline Type& Type::operator-=(Type other) { return *this = *this - other; }                           \
    sfpi_inline Type& Type::operator&=(Type other) { return *this = *this & other; }                           \
    sfpi_inline Type& Type::operator|=(Type other) { return *this = *this | other; }                           \
    sfpi_inline Type& Type::operator^=(Type other) { return *this = *this ^ other; }                           \
    sfpi_inline Type& Type::operator<<=(unsigned by) { return *this = *this << by; }                           \
    sfpi_inline Type& Type::operator<<=(vUInt by) { return *this = *this << by; }                              \
    sfpi_inline Type Type::operator++() { return *this += Type(1); }                                           \
    sfpi_inline Type Type::operator--() { return *this -= Type(1); }                                           \
    sfpi_inline Type Type::operator++(int) {                                                                   \
        const Type before = *this;                                                                             \
        *this += Type(1);                                                                                      \
        return before;                                                                                         \
    }                                                                                                          \
    sfpi_inline Type Type::operator--(int) {                                                                   \
        const Type before = *this;                                                                             \
        *this -= Type(1);                                                                                      \
        return before;                                                                                         \
    }
#define TW_INTEGER_BITS(Type, sign, op)                                                                        \
    sfpi_inline Type operator sign(Type a, int b) { return TW_LANES_WORD(op, a.get(), b); }                    \
    sfpi_inline Type operator sign(Type a, unsigned b) { return TW_LANES_WORD(op, a.get(), b); }               \
    sfpi_inline Type operator sign(int a, Type b) { return b sign a; }
TW_INTEGER(vInt)
TW_INTEGER(vUInt)
#undef TW_INTEGER
#undef TW_INTEGER_BITS

// To the right without a sign: Wormhole has no other shift.
sfpi_inline vUInt operator>>(vUInt a, unsigned by) { return TW_LANES_WORD(TW_LANE_SHIFT, a.get(), 0u - by); }
sfpi_inline vUInt operator>>(vUInt a, int by) { return TW_LANES_WORD(TW_LANE_SHIFT, a.get(), -by); }
sfpi_inline vUInt operator>>(vUInt a, vUInt by) { return impl_::lanes(TW_LANE_SHIFT, a, -by); }
sfpi_inline vUInt& vUInt::operator>>=(vUInt by) { return *this = *this >> by; }
sfpi_inline vUInt& vUInt::operator>>=(unsigned by) { return *this = *this >> by; }
sfpi_inline vMag operator>>(vMag a, unsigned by) { return vMag((vUInt(a) >> by).get()); }
sfpi_inline vMag operator>>(vMag a, int by) { return vMag((vUInt(a) >> by).get()); }
sfpi_inline vMag operator>>(vMag a, vUInt by) { return vMag((vUInt(a) >> by).get()); }
sfpi_inline vMag operator&(vMag a, unsigned b) { return vMag((vUInt(a) & b).get()); }
sfpi_inline vMag operator&(vMag a, int b) { return vMag((vUInt(a) & b).get()); }
sfpi_inline vMag operator&(vMag a, vMag b) { return vMag((vUInt(a) & vUInt(b)).get()); }
sfpi_inline vUInt operator&(vSMag a, unsigned b) { return vUInt(a.get()) & b; }

// Kernels mix the two kinds of integers.
sfpi_inline vInt operator+(vInt a, vMag b) { return a + vInt(b); }
sfpi_inline vInt operator+(vMag a, vInt b) { return vInt(a) + b; }
sfpi_inline vInt operator-(vInt a, vMag b) { return a - vInt(b); }
sfpi_inline vInt operator-(vMag a, vInt b) { return vInt(a) - b; }
sfpi_inline vUInt operator+(vUInt a, vMag b) { return a + vUInt(b); }
sfpi_inline vUInt operator+(vMag a, vUInt b) { return vUInt(a) + b; }
sfpi_inline vUInt operator+(vMag a, vMag b) { return vUInt(a) + vUInt(b); }
sfpi_inline vUInt operator-(vUInt a, vMag b) { return a - vUInt(b); }
sfpi_inline vUInt operator-(vMag a, vUInt b) { return vUInt(a) - b; }
sfpi_inline vUInt operator-(vMag a, vMag b) { return vUInt(a) - vUInt(b); }
sfpi_inline vUInt operator-(vUInt a, vInt b) { return a - vUInt(b); }
#define TW_MIXED(sign)                                                             \
    sfpi_inline vUInt operator sign(vUInt a, vInt b) { return a sign vUInt(b); }   \
    sfpi_inline vUInt operator sign(vInt a, vUInt b) { return vUInt(a) sign b; }
TW_MIXED(&)
TW_MIXED(|)
TW_MIXED(^)
#undef TW_MIXED

}  // namespace sfpi
