// Where `api/dataflow/endpoints.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/endpoints.h"

namespace experimental {

using ::UnicastEndpoint;
using ::MulticastEndpoint;
using ::AllocatorBankType;
using ::AllocatorBank;

}  // namespace experimental
