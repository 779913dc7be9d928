// tt-metal keeps short vectors in place; here they are ordinary ones.
#pragma once

#include <vector>

namespace ttsl {

template <class T, unsigned = 8>
using SmallVector = std::vector<T>;

}  // namespace ttsl
