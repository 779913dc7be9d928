// A view of consecutive values.
#pragma once

#include <span>

namespace ttsl {

template <class T>
using Span = std::span<T>;

template <class... Args>
auto make_span(Args&&... args) { return std::span(std::forward<Args>(args)...); }

template <class T>
auto make_const_span(const T& all) { return std::span(std::data(all), std::size(all)); }

}  // namespace ttsl

namespace tt::stl {

using ttsl::Span;

}  // namespace tt::stl
