// Where `api/dataflow/noc_semaphore.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/noc_semaphore.h"
#ifndef COMPILE_FOR_TRISC
#include "experimental/noc.h"
#endif

namespace experimental {

using ::Semaphore;

}  // namespace experimental
