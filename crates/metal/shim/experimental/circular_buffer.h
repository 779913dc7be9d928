// Where `api/dataflow/circular_buffer.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/circular_buffer.h"

namespace experimental {

using ::CircularBuffer;

}  // namespace experimental
