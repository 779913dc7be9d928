// Where `api/dataflow/noc.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/noc.h"

namespace experimental {

using ::Noc;
using ::noc_traits_t;

}  // namespace experimental
