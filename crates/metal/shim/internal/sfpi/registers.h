// Dst, the registers that instructions name, and constants.

#pragma once

#include "internal/sfpi/conditions.h"

namespace sfpi {

namespace impl_ {

// Two's complement to sign and magnitude, which Blackhole's loads leave to another instruction.
template <typename Type>
sfpi_inline Type with_sign(Type v);

// A place in Dst: 32 values from a row on, the even or the odd columns.
template <DataLayout Layout = DataLayout::Default>
class vDReg {
    unsigned address;
    int mode_of_address;

    template <DataLayout... Allowed>
    static constexpr bool is_one_of(DataLayout layout) {
        return ((layout == Allowed) || ...);
    }
    static constexpr DataLayout or_default(DataLayout layout) {
        return Layout == DataLayout::Default ? layout : Layout;
    }
    static constexpr unsigned float_mode(DataLayout layout) {
        return layout == DataLayout::F32    ? SFPLOAD_MOD0_FMT_FP32
               : layout == DataLayout::F16a ? SFPLOAD_MOD0_FMT_FP16A
               : layout == DataLayout::F16b ? SFPLOAD_MOD0_FMT_FP16B
                                            : SFPLOAD_MOD0_FMT_SRCB;
    }
    static constexpr unsigned word_mode(DataLayout layout) {
        return layout == DataLayout::U16    ? SFPLOAD_MOD0_FMT_UINT16
               : layout == DataLayout::LO16 ? SFPLOAD_MOD0_FMT_LO16
               : layout == DataLayout::HI16 ? SFPLOAD_MOD0_FMT_HI16
                                            : SFPLOAD_MOD0_FMT_INT32;
    }
    // Dst holds sign and magnitude where two's complement is asked for, and the other way round.
    static constexpr unsigned int_mode = or_default(DataLayout::SM32) == DataLayout::I32
                                             ? SFPLOAD_MOD0_FMT_INT32
                                             : SFPLOAD_MOD0_FMT_SM32;
    static constexpr unsigned smag_mode(DataLayout layout) {
        return layout == DataLayout::I32    ? SFPLOAD_MOD0_FMT_SM32
               : layout == DataLayout::SM16 ? SFPLOAD_MOD0_FMT_INT16
                                            : SFPLOAD_MOD0_FMT_INT32;
    }

    sfpi_inline sfpu_t read(unsigned mode) const { return lanes(TW_LANE_LOAD, mode, address, moves()); }
    sfpi_inline void write(sfpu_t value, unsigned mode) const {
        lanes(TW_LANE_STORE, mode, address, value.name, moves());
    }
    // An address mode other than none moves the counter, as an instruction does.
    constexpr unsigned moves() const {
        return mode_of_address < 0 || mode_of_address == static_cast<int>(SFPLOAD_ADDR_MODE_NOINC)
                   ? 0
                   : static_cast<unsigned>(mode_of_address) + 1;
    }

public:
    sfpi_inline constexpr explicit vDReg(unsigned at, int mode = -1) : address(at), mode_of_address(mode) {}
    vDReg& operator=(const vDReg&) = delete;
    sfpi_inline constexpr int get() const { return address; }
    template <DataLayout New = DataLayout::Default>
    sfpi_inline constexpr auto mode(int of_address = -1) const {
        constexpr DataLayout layout = New == DataLayout::Default ? Layout : New;
        return vDReg<layout>(address, of_address >= 0 ? of_address : mode_of_address);
    }

    sfpi_inline operator vFloat() const { return read(float_mode(or_default(DataLayout::FSrcB))); }
    sfpi_inline operator vFloat16a() const { return vFloat16a(read(float_mode(or_default(DataLayout::F16a)))); }
    sfpi_inline operator vFloat16b() const { return vFloat16b(read(float_mode(or_default(DataLayout::F16b)))); }
    sfpi_inline operator vInt() const { return read(int_mode); }
    sfpi_inline operator vUInt() const { return read(word_mode(or_default(DataLayout::U32))); }
    sfpi_inline operator vMag() const { return vMag(read(word_mode(or_default(DataLayout::M32)))); }
    sfpi_inline operator vUInt16() const { return vUInt16(read(word_mode(or_default(DataLayout::U16)))); }
    sfpi_inline operator vSMag() const {
        const vSMag value(read(smag_mode(or_default(DataLayout::SM32))));
#ifdef ARCH_BLACKHOLE
        if constexpr (or_default(DataLayout::SM32) == DataLayout::I32) {
            return with_sign(value);
        }
#endif
        return value;
    }
    sfpi_inline operator vSMag16() const { return vSMag16(read(SFPLOAD_MOD0_FMT_INT16)); }

    sfpi_inline void operator=(vFloat value) const { write(value.get(), float_mode(or_default(DataLayout::FSrcB))); }
    sfpi_inline void operator=(vFloat16a value) const {
        write(value.get(), float_mode(or_default(DataLayout::F16a)));
    }
    sfpi_inline void operator=(vFloat16b value) const {
        write(value.get(), float_mode(or_default(DataLayout::F16b)));
    }
    sfpi_inline void operator=(vInt value) const { write(value.get(), int_mode); }
    sfpi_inline void operator=(vUInt value) const { write(value.get(), word_mode(or_default(DataLayout::U32))); }
    sfpi_inline void operator=(vMag value) const { write(value.get(), word_mode(or_default(DataLayout::M32))); }
    sfpi_inline void operator=(vUInt16 value) const { write(value.get(), word_mode(or_default(DataLayout::U16))); }
    sfpi_inline void operator=(vSMag value) const {
#ifdef ARCH_BLACKHOLE
        tw::require(or_default(DataLayout::SM32) != DataLayout::I32, "a vSMag stored as two's complement");
#endif
        write(value.get(), smag_mode(or_default(DataLayout::SM32)));
    }
    sfpi_inline void operator=(vSMag16 value) const { write(value.get(), SFPLOAD_MOD0_FMT_INT16); }
    sfpi_inline void operator=(float value) const { *this = vFloat(value); }
    template <DataLayout Other>
    sfpi_inline void operator=(const vDReg<Other>& other) const {
        *this = vFloat(other);
    }
    sfpi_inline vFloat operator-() const { return -vFloat(*this); }
};

// Older kernels compute with places of Dst themselves.
#define TW_PLACES(sign)                                                      \
    template <DataLayout A, DataLayout B>                                    \
    sfpi_inline vFloat operator sign(const vDReg<A>& a, const vDReg<B>& b) { \
        return vFloat(a) sign vFloat(b);                                     \
    }                                                                        \
    template <DataLayout A>                                                  \
    sfpi_inline vFloat operator sign(const vDReg<A>& a, float b) {           \
        return vFloat(a) sign b;                                             \
    }                                                                        \
    template <DataLayout A>                                                  \
    sfpi_inline vFloat operator sign(float a, const vDReg<A>& b) {           \
        return a sign vFloat(b);                                             \
    }
TW_PLACES(+)
TW_PLACES(-)
TW_PLACES(*)
#undef TW_PLACES

struct DstRegFile {
    sfpi_inline constexpr vDReg<> operator[](int index) const {
        return vDReg<>(static_cast<unsigned>(index) * SFP_DESTREG_STRIDE);
    }
    sfpi_inline void operator++() const { *this += 1; }
    sfpi_inline void operator++(int) const { *this += 1; }
    sfpi_inline void operator+=(int count) const { lanes(TW_LANE_COUNT, SFP_DESTREG_STRIDE * count); }
};

// A register of the unit by its number.
class vLReg {
    unsigned number;

public:
    sfpi_inline constexpr explicit vLReg(unsigned of) : number(of) {}
    sfpi_inline constexpr int get() const { return number; }
    sfpi_inline operator sfpu_t() const { return lanes(TW_LANE_READ, number); }
    template <typename Type, if_vector<Type> = 0>
    sfpi_inline operator Type() const {
        return Type(lanes(TW_LANE_READ, number));
    }
    sfpi_inline vVal operator=(const vVal& value) const {
        lanes(TW_LANE_WRITE, number, value.get().name);
        return value;
    }
    sfpi_inline const vLReg& operator=(const vLReg& other) const {
        *this = vVal(static_cast<sfpu_t>(other));
        return *this;
    }
    sfpi_inline void in_use() const {}
};

struct LRegFile {
    sfpi_inline constexpr vLReg operator[](LRegs number) const { return vLReg(static_cast<unsigned>(number)); }
};

// A constant register.
template <typename Type>
class vCReg {
    unsigned number;

public:
    sfpi_inline constexpr explicit vCReg(unsigned of) : number(of) {}
    sfpi_inline operator Type() const { return Type(lanes(TW_LANE_READ, number)); }
    sfpi_inline void operator=(Type value) const { lanes(TW_LANE_CONFIGURE, number, value.get().name); }
    template <typename Scalar, std::enable_if_t<std::is_arithmetic_v<Scalar>, int> = 0>
    sfpi_inline void operator=(Scalar value) const {
        *this = Type(value);
    }
};
// They compute like the vectors that they are.
#define TW_CONSTANT(sign)                                                                                     \
    template <typename Type, typename Scalar, std::enable_if_t<std::is_arithmetic_v<Scalar>, int> = 0>        \
    sfpi_inline auto operator sign(const vCReg<Type>& a, Scalar b) {                                          \
        return Type(a) sign b;                                                                                \
    }                                                                                                         \
    template <typename Type, typename Scalar, std::enable_if_t<std::is_arithmetic_v<Scalar>, int> = 0>        \
    sfpi_inline auto operator sign(Scalar a, const vCReg<Type>& b) {                                          \
        return a sign Type(b);                                                                                \
    }                                                                                                         \
    template <typename Type>                                                                                  \
    sfpi_inline auto operator sign(const vCReg<Type>& a, const vCReg<Type>& b) {                              \
        return Type(a) sign Type(b);                                                                          \
    }
TW_CONSTANT(+)
TW_CONSTANT(-)
TW_CONSTANT(*)
#undef TW_CONSTANT
template <typename Type>
sfpi_inline Type operator-(const vCReg<Type>& a) {
    return -Type(a);
}

}  // namespace impl_

inline constexpr impl_::DstRegFile dst_reg{};
inline constexpr impl_::LRegFile l_reg{};

inline constexpr impl_::vCReg<vFloat> vConst0(CREG_IDX_0), vConst1(CREG_IDX_1), vConstNeg1(CREG_IDX_NEG_1),
    vConst0p8373(CREG_IDX_0P837300003);
inline constexpr impl_::vCReg<vFloat> vConstFloatPrgm0(CREG_IDX_PRGM1), vConstFloatPrgm1(CREG_IDX_PRGM2),
    vConstFloatPrgm2(CREG_IDX_PRGM3);
inline constexpr impl_::vCReg<vInt> vConstIntPrgm0(CREG_IDX_PRGM1), vConstIntPrgm1(CREG_IDX_PRGM2),
    vConstIntPrgm2(CREG_IDX_PRGM3);
inline constexpr impl_::vCReg<vInt> vConstTileId(CREG_IDX_TILEID);

}  // namespace sfpi
