// Where `api/dataflow/dataflow_buffer.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/dataflow_buffer.h"
#ifndef COMPILE_FOR_TRISC
#include "experimental/noc.h"
#endif

namespace experimental {

using ::DataflowBuffer;

}  // namespace experimental
