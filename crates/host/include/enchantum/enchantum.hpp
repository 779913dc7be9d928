// Names of enumerators, as messages show them.
#pragma once

#include <string>

#include <fmt/format.h>

namespace enchantum {

template <class Enum>
std::string to_string(Enum value) { return fmt::to_string(value); }

}  // namespace enchantum
