// Where `api/lock.h` was until it left `experimental`.

#pragma once

#include "api/lock.h"

namespace experimental {

using ::Lock;

}  // namespace experimental
