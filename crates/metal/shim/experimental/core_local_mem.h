// Where `api/core_local_mem.h` was until it left `experimental`.

#pragma once

#include "api/core_local_mem.h"
#ifndef COMPILE_FOR_TRISC
#include "experimental/noc.h"
#endif

namespace experimental {

using ::CoreLocalMem;

}  // namespace experimental
