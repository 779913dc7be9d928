// Where `api/dataflow/endpoints.h` was until it left `experimental`.

#pragma once

#include "api/dataflow/endpoints.h"
#ifndef COMPILE_FOR_TRISC
#include "experimental/noc.h"
#endif

namespace experimental {

using ::UnicastEndpoint;
using ::MulticastEndpoint;
using ::AllocatorBankType;
using ::AllocatorBank;

}  // namespace experimental
