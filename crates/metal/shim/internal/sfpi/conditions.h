// Comparisons, and code for some lanes only.

#pragma once

#include "internal/sfpi/operators.h"

namespace sfpi {

class vBool {
    uint32_t mask;

public:
    enum Cond : unsigned char { LT = 0, GE = 1, EQ = 2, NE = 3, GT = 4, LE = 5 };
    enum Logic : unsigned char { And, Or, Not };

    sfpi_inline vBool(const vBool&) = default;
    sfpi_inline vBool& operator=(const vBool&) = default;
    // Against a literal zero a value is tested as it is, otherwise the difference of the two.
    sfpi_inline vBool(Cond cond, vFloat a, vFloat b) : vBool(cond, impl_::lanes(TW_LANE_SUBTRACT, a, b)) {}
    sfpi_inline vBool(Cond cond, vFloat a, float b)
        : vBool(
              cond,
              __builtin_constant_p(b) && impl_::float_as_uint(b) == 0 ? a.get()
                                                                      : impl_::lanes(TW_LANE_SUBTRACT, a, vFloat(b))) {}
    sfpi_inline vBool(Cond cond, vInt a, vInt b) : vBool(cond, impl_::lanes(TW_LANE_SUB_INTEGER, a, b)) {}
    sfpi_inline vBool(Cond cond, vInt a, int b)
        : vBool(cond, __builtin_constant_p(b) && b == 0 ? a.get() : impl_::lanes(TW_LANE_SUB_INTEGER, a, vInt(b))) {}
    sfpi_inline vBool(Cond cond, vUInt a, vUInt b) : vBool(cond, vInt(a.get()), vInt(b.get())) {}
    sfpi_inline vBool(Cond cond, vUInt a, unsigned b) : vBool(cond, vInt(a.get()), static_cast<int>(b)) {}
    sfpi_inline vBool(Cond cond, vSMag a, vSMag b) : vBool(cond, vInt(a.get()), vInt(b.get())) {}
    sfpi_inline vBool(Cond cond, vSMag a, int b) : vBool(cond, vInt(a.get()), b) {}
    sfpi_inline vBool(Logic logic, vBool a, vBool b)
        : mask(impl_::lanes(
                   logic == And ? TW_LANE_AND : logic == Or ? TW_LANE_OR : TW_LANE_NOT, a.mask, b.mask)
                   .name) {}
    sfpi_inline vBool(vInt a) : vBool(NE, a, 0) {}
    sfpi_inline vBool(vUInt a) : vBool(NE, a, 0u) {}
    sfpi_inline vBool(vSMag a) : vBool(NE, a, 0) {}
    sfpi_inline operator vInt() const { return TW_LANES_WORD(TW_LANE_AND, impl_::sfpu_t{mask}, 1); }
    sfpi_inline uint32_t get() const { return mask; }

private:
    sfpi_inline vBool(Cond cond, impl_::sfpu_t tested)
        : mask(impl_::lanes(TW_LANE_TEST, cond, tested.name).name) {}
};

sfpi_inline vBool operator&&(vBool a, vBool b) { return vBool(vBool::And, a, b); }
sfpi_inline vBool operator||(vBool a, vBool b) { return vBool(vBool::Or, a, b); }
sfpi_inline vBool operator!(vBool a) { return vBool(vBool::Not, a, a); }

#define TW_COMPARE(sign, turned, cond)                                                                        \
    sfpi_inline vBool operator sign(vFloat a, vFloat b) { return vBool(vBool::cond, a, b); }                  \
    sfpi_inline vBool operator sign(vFloat a, float b) { return vBool(vBool::cond, a, b); }                   \
    sfpi_inline vBool operator sign(vFloat a, double b) { return vBool(vBool::cond, a, static_cast<float>(b)); } \
    sfpi_inline vBool operator sign(vFloat a, int b) { return vBool(vBool::cond, a, static_cast<float>(b)); } \
    sfpi_inline vBool operator sign(float a, vFloat b) { return vBool(vBool::turned, b, a); }                 \
    sfpi_inline vBool operator sign(vInt a, vInt b) { return vBool(vBool::cond, a, b); }                      \
    sfpi_inline vBool operator sign(vInt a, int b) { return vBool(vBool::cond, a, b); }                       \
    sfpi_inline vBool operator sign(vInt a, unsigned b) { return vBool(vBool::cond, a, static_cast<int>(b)); } \
    sfpi_inline vBool operator sign(vInt a, vMag b) { return vBool(vBool::cond, a, vInt(b)); }                \
    sfpi_inline vBool operator sign(vInt a, vUInt b) { return vBool(vBool::cond, a, vInt(b.get())); }         \
    sfpi_inline vBool operator sign(vMag a, vMag b) { return vBool(vBool::cond, vUInt(a), vUInt(b)); }        \
    sfpi_inline vBool operator sign(vMag a, int b) { return vBool(vBool::cond, vUInt(a), static_cast<unsigned>(b)); } \
    sfpi_inline vBool operator sign(vMag a, unsigned b) { return vBool(vBool::cond, vUInt(a), b); }           \
    sfpi_inline vBool operator sign(vUInt a, vUInt b) { return vBool(vBool::cond, a, b); }                    \
    sfpi_inline vBool operator sign(vUInt a, unsigned b) { return vBool(vBool::cond, a, b); }                 \
    sfpi_inline vBool operator sign(vUInt a, int b) { return vBool(vBool::cond, a, static_cast<unsigned>(b)); }
TW_COMPARE(==, EQ, EQ)
TW_COMPARE(!=, NE, NE)
TW_COMPARE(<, GT, LT)
TW_COMPARE(>, LT, GT)
TW_COMPARE(<=, GE, LE)
TW_COMPARE(>=, LE, GE)
#undef TW_COMPARE
sfpi_inline vBool operator==(vSMag a, vSMag b) { return vBool(vBool::EQ, a, b); }
sfpi_inline vBool operator==(vSMag a, int b) { return vBool(vBool::EQ, a, b); }
sfpi_inline vBool operator==(vSMag a, unsigned b) { return vBool(vBool::EQ, a, static_cast<int>(b)); }
sfpi_inline vBool operator!=(vSMag a, vSMag b) { return vBool(vBool::NE, a, b); }
sfpi_inline vBool operator!=(vSMag a, int b) { return vBool(vBool::NE, a, b); }
sfpi_inline vBool operator!=(vSMag a, unsigned b) { return vBool(vBool::NE, a, static_cast<int>(b)); }

namespace impl_ {

// The lanes that a block of code is for. It ends with the block.
class CC {
    unsigned depth = 0;

public:
    sfpi_inline CC() = default;
    CC(const CC&) = delete;
    CC& operator=(const CC&) = delete;
    sfpi_inline ~CC() {
        for (; depth > 0; --depth) {
            lanes(TW_LANE_END);
        }
    }
    sfpi_inline CC& push() {
        ++depth;
        lanes(TW_LANE_BEGIN);
        return *this;
    }
    sfpi_inline CC& if_() { return *this; }
    sfpi_inline CC& else_() {
        lanes(TW_LANE_COMPLEMENT);
        return *this;
    }
    sfpi_inline void cond(vBool condition) { lanes(TW_LANE_REQUIRE, condition.get()); }
};

}  // namespace impl_

}  // namespace sfpi

// Every branch is executed, each in its lanes.
#define v_if(condition)                     \
    {                                       \
        ::sfpi::impl_::CC __cc;             \
        __cc.push().if_().cond(condition);  \
        {
#define v_elseif(condition)                        \
        }                                          \
        __cc.else_().push().if_().cond(condition); \
        {
#define v_else        \
        }             \
        __cc.else_(); \
        {
#define v_endif \
        }       \
    }
#define v_block                 \
    {                           \
        ::sfpi::impl_::CC __cc; \
        __cc.push();
#define v_and(condition) __cc.if_().cond(condition)
#define v_endblock }
