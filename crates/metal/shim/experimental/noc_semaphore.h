// Where `api/dataflow/noc_semaphore.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/noc_semaphore.h"

namespace experimental {

using ::Semaphore;

}  // namespace experimental
