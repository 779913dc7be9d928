// Functions of vectors: fields of numbers, tables, conversions, minima.

#pragma once

#include <utility>

#include "internal/sfpi/registers.h"

namespace sfpi {

// The same bits as another type.
template <typename Type, impl_::if_vector<Type> = 0>
sfpi_inline Type as(impl_::vVal value) {
    return Type(value.get());
}
template <typename Type, impl_::if_vector<Type> = 0>
sfpi_inline Type reinterpret(impl_::vVal value) {
    return Type(value.get());
}

namespace impl_ {

template <typename... Vectors>
sfpi_inline sfpu_t lookup(unsigned mode, bool is_fp32, Vectors... operands) {
    (lanes(TW_LANE_OPERAND, operands.get().name), ...);
    return lanes(TW_LANE_LOOKUP, mode, is_fp32);
}
template <typename Type, typename... Bases>
inline constexpr bool is_any = (std::is_base_of_v<Bases, Type> || ...);
template <bool Is>
using if_true = std::enable_if_t<Is, int>;

}  // namespace impl_

// Straight lines, chosen by the magnitude.
sfpi_inline vFloat lut(vFloat v, vUInt l0, vUInt l1, vUInt l2) {
    return impl_::lookup(SFPLUT_MOD0_SGN_RETAIN, false, l0, l1, l2, v);
}
sfpi_inline vFloat lut_sign(vFloat v, vUInt l0, vUInt l1, vUInt l2) {
    return impl_::lookup(SFPLUT_MOD0_SGN_UPDATE, false, l0, l1, l2, v);
}
sfpi_inline vFloat lut2(vFloat v, vUInt l0, vUInt l1, vUInt l2) {
    return impl_::lookup(SFPLUTFP32_MOD0_FP16_3ENTRY_TABLE | SFPLUTFP32_MOD0_SGN_RETAIN, true, l0, l1, l2, v);
}
sfpi_inline vFloat lut2_sign(vFloat v, vUInt l0, vUInt l1, vUInt l2) {
    return impl_::lookup(SFPLUTFP32_MOD0_FP16_3ENTRY_TABLE, true, l0, l1, l2, v);
}
sfpi_inline vFloat lut2(vFloat v, vFloat a0, vFloat a1, vFloat a2, vFloat b0, vFloat b1, vFloat b2) {
    return impl_::lookup(SFPLUTFP32_MOD0_SGN_RETAIN, true, a0, a1, a2, b0, b1, b2, v);
}
sfpi_inline vFloat lut2_sign(vFloat v, vFloat a0, vFloat a1, vFloat a2, vFloat b0, vFloat b1, vFloat b2) {
    return impl_::lookup(SFPLUTFP32_MOD0_FP32_3ENTRY_TABLE, true, a0, a1, a2, b0, b1, b2, v);
}
sfpi_inline vFloat lut2(
    vFloat v, vUInt a01, vUInt a23, vUInt a45, vUInt b01, vUInt b23, vUInt b45, int mode = 1) {
    const unsigned table = mode == 1 ? SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE1 : SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE2;
    return impl_::lookup(table | SFPLUTFP32_MOD0_SGN_RETAIN, true, a01, a23, a45, b01, b23, b45, v);
}
sfpi_inline vFloat lut2_sign(
    vFloat v, vUInt a01, vUInt a23, vUInt a45, vUInt b01, vUInt b23, vUInt b45, int mode = 1) {
    const unsigned table = mode == 1 ? SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE1 : SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE2;
    return impl_::lookup(table, true, a01, a23, a45, b01, b23, b45, v);
}

// Fields of floats.
struct ExponentMode {
    enum Values { Unbiased, Biased };
    static constexpr Values Debias = Unbiased, NoDebias = Biased;
    constexpr ExponentMode(Values of) : value(of) {}
    constexpr operator Values() const { return value; }

private:
    Values value;
};
enum class MantissaMode { FractionOnly, WithUnitBit, ImplicitOne = WithUnitBit };
enum class LZMode { All, IgnoreSign };
enum class ShiftMode { Logical };
enum class LdexpMode { Correct, Fast };

sfpi_inline vInt exexp(vFloat v, ExponentMode mode = ExponentMode::Unbiased) {
    return impl_::lanes(mode == ExponentMode::Unbiased ? TW_LANE_EXPONENT_UNBIASED : TW_LANE_EXPONENT, v);
}
sfpi_inline vInt exexp_nodebias(vFloat v) { return exexp(v, ExponentMode::Biased); }
sfpi_inline vMag exman(vFloat v, MantissaMode mode = MantissaMode::FractionOnly) {
    return vMag(impl_::lanes(mode == MantissaMode::FractionOnly ? TW_LANE_MANTISSA : TW_LANE_SIGNIFICAND, v));
}
sfpi_inline vInt exman8(vFloat v) { return impl_::lanes(TW_LANE_SIGNIFICAND, v); }
sfpi_inline vInt exman9(vFloat v) { return impl_::lanes(TW_LANE_MANTISSA, v); }
template <typename Type, impl_::if_true<impl_::is_any<Type, vFloat, vInt, vSMag>> = 0>
sfpi_inline vUInt exsgn(Type v) {
    return as<vUInt>(v) >> 31;
}
sfpi_inline vFloat setexp(vFloat v, int exponent) { return TW_LANES_WORD(TW_LANE_SET_EXPONENT, v.get(), exponent); }
sfpi_inline vFloat setexp(vFloat v, unsigned exponent) {
    return TW_LANES_WORD(TW_LANE_SET_EXPONENT, v.get(), exponent);
}
sfpi_inline vFloat setexp(vFloat v, vInt exponent) { return impl_::lanes(TW_LANE_SET_EXPONENT, v, exponent); }
sfpi_inline vFloat copyexp(vFloat v, vFloat from) { return impl_::lanes(TW_LANE_COPY_EXPONENT, v, from); }
sfpi_inline vFloat addexp(vFloat v, int by) { return TW_LANES_WORD(TW_LANE_ADD_EXPONENT, v.get(), by); }
// A number is the upper 12 bits of the field.
sfpi_inline vFloat setman(vFloat v, unsigned mantissa) {
    return TW_LANES_WORD(TW_LANE_SET_MANTISSA, v.get(), mantissa << 11);
}
sfpi_inline vFloat setman(vFloat v, int mantissa) { return setman(v, static_cast<unsigned>(mantissa)); }
template <typename Type, impl_::if_true<impl_::is_any<Type, vFloat, vInt, vUInt, vSMag>> = 0>
sfpi_inline vFloat setman(vFloat v, Type from) {
    return impl_::lanes(TW_LANE_SET_MANTISSA, v, from);
}
sfpi_inline vFloat copyman(vFloat v, vFloat from) { return impl_::lanes(TW_LANE_SET_MANTISSA, v, from); }
template <typename Type, impl_::if_true<impl_::is_any<Type, vFloat, vInt, vSMag>> = 0>
sfpi_inline Type setsgn(Type v, int sign) {
    return Type(TW_LANES_WORD(TW_LANE_COPY_SIGN, v.get(), static_cast<unsigned>(sign) << 31));
}
sfpi_inline vSMag setsgn(vUInt v, int sign) { return setsgn(vSMag(v.get()), sign); }
template <typename Type, typename From, impl_::if_true<impl_::is_any<Type, vFloat, vInt, vSMag>> = 0,
          impl_::if_vector<From> = 0>
sfpi_inline Type copysgn(Type v, From sign) {
    return Type(impl_::lanes(TW_LANE_COPY_SIGN, v, sign));
}
template <typename From, impl_::if_vector<From> = 0>
sfpi_inline vSMag copysgn(vUInt v, From sign) {
    return vSMag(impl_::lanes(TW_LANE_COPY_SIGN, v, sign));
}
template <typename Type, typename From, impl_::if_vector<Type> = 0, impl_::if_vector<From> = 0>
sfpi_inline Type setsgn(Type v, From sign) {
    return Type(impl_::lanes(TW_LANE_COPY_SIGN, v, sign));
}
template <typename Type, typename From, impl_::if_vector<Type> = 0, impl_::if_vector<From> = 0>
sfpi_inline Type setsgn2(Type v, From sign) {
    return Type(impl_::lanes(TW_LANE_COPY_SIGN, v, as<vUInt>(sign) << 31));
}
sfpi_inline vFloat ldexp(vFloat v, int scale, LdexpMode = LdexpMode::Correct) { return addexp(v, scale); }
sfpi_inline vFloat ldexp(vFloat v, vInt scale, LdexpMode mode = LdexpMode::Correct) {
    if (mode == LdexpMode::Fast) {
        return setexp(v, exexp(v, ExponentMode::Biased) + scale);
    }
    return v * setexp(vFloat(0.0f), scale + 127);
}

#ifdef ARCH_BLACKHOLE
// The unit's own estimate, to seven bits.
sfpi_inline vFloat approx_recip(vFloat v) { return impl_::lanes(TW_LANE_ESTIMATE_RECIPROCAL, v); }
// Either half of the product of 23 bits.
enum class FractionalHalf { Low, High };
template <typename A, typename B, impl_::if_vector<A> = 0, impl_::if_vector<B> = 0>
sfpi_inline vMag fractional_mul(A a, B b, FractionalHalf half = FractionalHalf::Low) {
    return vMag(impl_::lanes(half == FractionalHalf::Low ? TW_LANE_MULTIPLY_LOW : TW_LANE_MULTIPLY_HIGH, a, b));
}
sfpi_inline vInt fractional_mul(vInt a, vInt b, FractionalHalf half = FractionalHalf::Low) {
    return vInt(fractional_mul(as<vUInt>(a), as<vUInt>(b), half).get());
}
#endif

// Integers.
sfpi_inline vFloat abs(vFloat v) { return impl_::lanes(TW_LANE_ABSOLUTE_FLOAT, v); }
sfpi_inline vMag abs(vInt v) { return vMag(impl_::lanes(TW_LANE_ABSOLUTE_INTEGER, v)); }
sfpi_inline vMag abs(vSMag v) { return vMag(setsgn(v, 0).get()); }
template <typename Type, impl_::if_vector<Type> = 0>
sfpi_inline vMag lz(Type v, LZMode mode = LZMode::All) {
    return vMag(impl_::lanes(
        mode == LZMode::All ? TW_LANE_LEADING_ZEROS : TW_LANE_LEADING_ZEROS_MAGNITUDE, v));
}
template <typename Type, impl_::if_vector<Type> = 0>
sfpi_inline vInt lz_nosgn(Type v) {
    return impl_::lanes(TW_LANE_LEADING_ZEROS_MAGNITUDE, v);
}
sfpi_inline vUInt shft(vUInt v, vInt by, ShiftMode = ShiftMode::Logical) {
    return impl_::lanes(TW_LANE_SHIFT, v, by);
}
sfpi_inline vUInt shft(vUInt v, int by, ShiftMode = ShiftMode::Logical) {
    return TW_LANES_WORD(TW_LANE_SHIFT, v.get(), by);
}
sfpi_inline vInt shft(vInt v, vInt by, ShiftMode = ShiftMode::Logical) {
    return impl_::lanes(TW_LANE_SHIFT, v, by);
}
sfpi_inline vInt shft(vInt v, int by, ShiftMode = ShiftMode::Logical) {
    return TW_LANES_WORD(TW_LANE_SHIFT, v.get(), by);
}

sfpi_inline vBool is_nan(vFloat v) { return exexp(v, ExponentMode::Biased) >= 255 && exman(v) != 0; }
sfpi_inline vBool is_finite(vFloat v) { return exexp(v, ExponentMode::Biased) < 255; }
sfpi_inline vBool is_normal(vFloat v) {
    const vInt exponent = exexp(v, ExponentMode::Biased);
    return exponent < 255 && exponent != 0;
}
sfpi_inline vBool is_subnormal(vFloat v) { return exexp(v, ExponentMode::Biased) == 0 && exman(v) != 0; }
sfpi_inline vBool is_zero(vFloat v) { return (as<vUInt>(v) << 1) == 0; }
sfpi_inline vBool is_inf(vFloat v) { return exexp(v, ExponentMode::Biased) >= 255 && exman(v) == 0; }
sfpi_inline vBool is_pos(vFloat v) { return lz(as<vUInt>(v)) != 0; }
sfpi_inline vBool is_neg(vFloat v) { return lz(as<vUInt>(v)) == 0; }

// Minima and maxima in the order of bits. A mask has a bit for each row of eight lanes, or for each
// lane: the first result is the maximum there.
template <typename Type, impl_::if_true<impl_::is_any<Type, vFloat, vSMag>> = 0>
sfpi_inline std::pair<Type, Type> min_max(Type a, Type b, uint32_t mask = 0) {
    const uint32_t rows =
        mask <= 15 ? mask : (mask & 1) | (mask >> 8 & 1) << 1 | (mask >> 16 & 1) << 2 | (mask >> 24 & 1) << 3;
    const auto first = impl_::lanes(TW_LANE_SWAP, 1, a.get().name, b.get().name, ~rows & 15);
    return {Type(first), Type(impl_::sfpu_t{first.name + 1})};
}
template <typename Type, impl_::if_true<impl_::is_any<Type, vFloat, vSMag>> = 0>
sfpi_inline Type min(Type a, Type b) {
    return min_max(a, b).first;
}
template <typename Type, impl_::if_true<impl_::is_any<Type, vFloat, vSMag>> = 0>
sfpi_inline Type max(Type a, Type b) {
    return min_max(a, b, 15).first;
}
sfpi_inline vFloat min(vFloat a, float b) { return min(a, vFloat(b)); }
sfpi_inline vFloat max(vFloat a, float b) { return max(a, vFloat(b)); }
// Numbers without a sign are ordered as those with one; from 2^31 on the other way round.
sfpi_inline vUInt min(vUInt a, unsigned b) {
    const vUInt other = b;
    if (static_cast<int>(b) >= 0) {
        return ~as<vUInt>(min(as<vSMag>(~a), as<vSMag>(~other)));
    }
    return as<vUInt>(max(as<vSMag>(a), as<vSMag>(other)));
}
sfpi_inline vUInt max(vUInt a, unsigned b) {
    const vUInt other = b;
    if (static_cast<int>(b) >= 0) {
        return ~as<vUInt>(max(as<vSMag>(~a), as<vSMag>(~other)));
    }
    return as<vUInt>(min(as<vSMag>(a), as<vSMag>(other)));
}
sfpi_inline vUInt clamp(vUInt v, unsigned lower, unsigned upper) { return min(max(v, lower), upper); }
template <typename Type, impl_::if_true<impl_::is_any<Type, vFloat, vSMag>> = 0>
sfpi_inline Type clamp(Type v, Type lower, Type upper) {
    return min(max(v, lower), upper);
}
sfpi_inline vFloat clamp(vFloat v, float lower, float upper) { return clamp(v, vFloat(lower), vFloat(upper)); }
sfpi_inline vFloat symmetric_clamp(vFloat v, float bound) { return copysgn(min(abs(v), bound), v); }
template <typename Type, impl_::if_vector<Type> = 0>
sfpi_inline void swap(Type& a, Type& b) {
    const auto first = impl_::lanes(TW_LANE_SWAP, 0, a.get().name, b.get().name);
    a = Type(first);
    b = Type(impl_::sfpu_t{first.name + 1});
}
template <typename Type, impl_::if_vector<Type> = 0>
sfpi_inline void vec_swap(Type& a, Type& b) {
    swap(a, b);
}
template <typename Type, impl_::if_vector<Type> = 0>
sfpi_inline void vec_min_max(Type& a, Type& b) {
    const auto [low, high] = min_max(as<vFloat>(a), as<vFloat>(b));
    a = as<Type>(low);
    b = as<Type>(high);
}
template <typename Type, impl_::if_vector<Type> = 0>
sfpi_inline void subvec_transp(Type& a, Type& b, Type& c, Type& d) {
    const auto first =
        impl_::lanes(TW_LANE_TRANSPOSE, a.get().name, b.get().name, c.get().name, d.get().name);
    a = Type(first);
    b = Type(impl_::sfpu_t{first.name + 1});
    c = Type(impl_::sfpu_t{first.name + 2});
    d = Type(impl_::sfpu_t{first.name + 3});
}
sfpi_inline impl_::sfpu_t subvec_shflror1(const impl_::vVal& v) { return impl_::lanes(TW_LANE_ROTATE, v); }

// Conversions. Rounding by chance is not modelled.
struct RoundMode {
    enum Values { NearestAway, Nearest = NearestAway, NearestStochastic };
    static constexpr Values NearestEven = NearestAway, Stochastic = NearestStochastic;
    constexpr RoundMode(Values of) : value(of) {}
    constexpr operator Values() const { return value; }

private:
    Values value;
};

namespace impl_ {

sfpi_inline void require_nearest(RoundMode mode) {
    if (mode == RoundMode::NearestStochastic) {
        tw_calls->not_modelled(TW_HERE, "stochastic rounding by the vector unit");
    }
}
// Between two's complement, and sign and magnitude.
sfpi_inline vInt turn_negative(vInt v) {
    v_if(v < 0) {
        v = setsgn(v, 0);
        v = 0 - v;
    }
    v_endif;
    return v;
}
template <typename Type>
sfpi_inline Type with_sign(Type v) {
    return copysgn(Type(turn_negative(vInt(v.get())).get()), v);
}
template <typename To>
sfpi_inline To narrowed(vFloat v, RoundMode mode) {
    require_nearest(mode);
    if constexpr (std::is_same_v<To, vFloat16b>) {
        return To(lanes(TW_LANE_ROUND_BFLOAT16, v));
    } else if constexpr (std::is_same_v<To, vSMag16>) {
        return To(lanes(TW_LANE_ROUND_SIGNED16, v));
    } else if constexpr (std::is_same_v<To, vUInt16>) {
        return To(lanes(TW_LANE_ROUND_UNSIGNED16, v));
    } else if constexpr (std::is_same_v<To, vSMag8>) {
        return To(lanes(TW_LANE_ROUND_SIGNED8, v));
    } else if constexpr (std::is_same_v<To, vUInt8>) {
        return To(lanes(TW_LANE_ROUND_UNSIGNED8, v));
    } else {
        static_assert(std::is_same_v<To, vFloat16a>, "vFloat does not convert to this type");
        tw_calls->not_modelled(TW_HERE, "rounding to 16-bit floats of 5 exponent bits");
        return To(v.get());
    }
}

}  // namespace impl_

template <typename To, typename From, impl_::if_vector<To> = 0, impl_::if_vector<From> = 0>
sfpi_inline To convert(From v, RoundMode mode = RoundMode::NearestStochastic) {
    if constexpr (std::is_same_v<From, To>) {
        return v;
    } else if constexpr (std::is_base_of_v<vFloat, From>) {
        return impl_::narrowed<To>(v, mode);
    } else if constexpr (std::is_base_of_v<vInt, From>) {
        return convert<To>(vSMag(impl_::turn_negative(v).get()), mode);
    } else if constexpr (std::is_same_v<To, vInt> && std::is_base_of_v<vUInt, From>) {
        return as<vInt>(v);
    } else if constexpr (std::is_same_v<To, vInt>) {
        return impl_::turn_negative(as<vInt>(v));
    } else if constexpr (std::is_base_of_v<vFloat, To>) {
        impl_::require_nearest(mode);
        return convert<To>(vFloat(impl_::lanes(TW_LANE_CAST, v)), mode);
    } else {
        static_assert(std::is_base_of_v<vSMag, To> && std::is_base_of_v<vUInt, From>, "no such conversion");
        return as<To>(v);
    }
}
template <typename From, impl_::if_vector<From> = 0>
sfpi_inline vFloat int32_to_float(From v, RoundMode mode = RoundMode::NearestStochastic) {
    impl_::require_nearest(mode);
    return impl_::lanes(TW_LANE_CAST, v);
}
sfpi_inline vFloat float_to_fp16a(vFloat v, RoundMode mode = RoundMode::NearestStochastic) {
    return convert<vFloat16a>(v, mode);
}
sfpi_inline vFloat float_to_fp16b(vFloat v, RoundMode mode = RoundMode::NearestStochastic) {
    return convert<vFloat16b>(v, mode);
}
sfpi_inline vUInt float_to_uint16(vFloat v, RoundMode mode = RoundMode::NearestStochastic) {
    return vUInt(convert<vUInt16>(v, mode).get());
}
sfpi_inline vInt float_to_int16(vFloat v, RoundMode mode = RoundMode::NearestStochastic) {
    return vInt(convert<vSMag16>(v, mode).get());
}
sfpi_inline vUInt float_to_uint8(vFloat v, RoundMode mode = RoundMode::NearestStochastic) {
    return vUInt(convert<vUInt8>(v, mode).get());
}
sfpi_inline vInt float_to_int8(vFloat v, RoundMode mode = RoundMode::NearestStochastic) {
    return vInt(convert<vSMag8>(v, mode).get());
}
sfpi_inline vUInt int32_to_uint8(vInt v, vUInt descale, RoundMode mode = RoundMode::NearestStochastic) {
    impl_::require_nearest(mode);
    return impl_::lanes(TW_LANE_NARROW_UNSIGNED8, v, descale);
}
sfpi_inline vInt int32_to_int8(vInt v, vUInt descale, RoundMode mode = RoundMode::NearestStochastic) {
    impl_::require_nearest(mode);
    return impl_::lanes(TW_LANE_NARROW_SIGNED8, v, descale);
}

namespace impl_ {
struct FloatInt : std::pair<vFloat, vInt> {
    using pair::pair;
    operator vFloat() const { return first; }
    operator vInt() const { return second; }
};
}  // namespace impl_
// To the nearest integer, by adding and taking away 1.5 * 2^23.
sfpi_inline impl_::FloatInt round(vFloat v) {
    const vFloat magic = 12582912.0f, sum = v + magic;
    return {sum - magic, as<vInt>(sum) - as<vInt>(magic)};
}

// c0 + c1 * x + c2 * x^2 + ...
sfpi_inline vFloat polynomial(vFloat) { return 0.0f; }
template <typename First>
sfpi_inline vFloat polynomial(vFloat, First first) {
    return vFloat(first);
}
template <typename First, typename Second, typename... More>
sfpi_inline vFloat polynomial(vFloat x, First first, Second second, More... more) {
    return vFloat(first) + x * polynomial(x, second, more...);
}

}  // namespace sfpi

// The compiler's own functions, which some code calls by name.
sfpi_inline sfpi::impl_::sfpu_t __builtin_rvtt_sfpmad(
    sfpi::impl_::sfpu_t a, sfpi::impl_::sfpu_t b, sfpi::impl_::sfpu_t c, unsigned) {
    return sfpi::impl_::lanes(TW_LANE_MAD, a.name, b.name, c.name);
}
sfpi_inline sfpi::impl_::sfpu_t __builtin_rvtt_sfpmul(sfpi::impl_::sfpu_t a, sfpi::impl_::sfpu_t b, unsigned) {
    return sfpi::impl_::lanes(TW_LANE_MULTIPLY, a.name, b.name);
}
sfpi_inline sfpi::impl_::sfpu_t __builtin_rvtt_sfpadd(sfpi::impl_::sfpu_t a, sfpi::impl_::sfpu_t b, unsigned) {
    return sfpi::impl_::lanes(TW_LANE_ADD, a.name, b.name);
}
// The mode says whether only lanes go on in which the sum is below zero, or not.
sfpi_inline sfpi::impl_::sfpu_t __builtin_rvtt_sfpiadd_i(sfpi::impl_::sfpu_t a, int b, unsigned mode) {
    const sfpi::impl_::sfpu_t sum = TW_LANES_WORD(TW_LANE_ADD_INTEGER, a, b);
    if ((mode & sfpi::SFPIADD_MOD1_CC_NONE) == 0) {
        const auto test = (mode & sfpi::SFPIADD_MOD1_CC_GTE0) != 0 ? sfpi::vBool::GE : sfpi::vBool::LT;
        sfpi::impl_::lanes(TW_LANE_REQUIRE, sfpi::impl_::lanes(TW_LANE_TEST, test, sum.name).name);
    }
    return sum;
}
