// Where `api/dataflow/dataflow_buffer.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/dataflow_buffer.h"

namespace experimental {

using ::DataflowBuffer;

}  // namespace experimental
