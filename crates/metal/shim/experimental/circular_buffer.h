// Where `api/dataflow/circular_buffer.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/circular_buffer.h"
#ifndef COMPILE_FOR_TRISC
#include "experimental/noc.h"
#endif

namespace experimental {

using ::CircularBuffer;

}  // namespace experimental
