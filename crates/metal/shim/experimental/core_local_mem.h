// Where `api/core_local_mem.h` was until it left `experimental`.

#pragma once

#include "api/core_local_mem.h"

namespace experimental {

using ::CoreLocalMem;

}  // namespace experimental
