// Integer arithmetic of host programs.
#pragma once

namespace tt {

template <class A, class B>
constexpr auto div_up(A value, B unit) { return (value + unit - 1) / unit; }

template <class A, class B>
constexpr auto round_up(A value, B unit) { return div_up(value, unit) * unit; }

template <class A, class B>
constexpr auto round_down(A value, B unit) { return value / unit * unit; }

}  // namespace tt
