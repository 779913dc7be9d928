// The free functions of data-movement kernels: rings, transfers, barriers, semaphores.

#pragma once

#include <cstdint>
#include <type_traits>

#include "api/compile_time_args.h"
#include "api/debug/assert.h"
#include "api/debug/waypoint.h"
#include "api/tensor/tensor_accessor.h"
#include "hostdevcommon/common_values.hpp"
#include "internal/arguments.h"
#include "internal/dataflow/addresses.h"
#include "internal/dataflow/reads.h"
#include "internal/dataflow/rings.h"
#include "internal/dataflow/semaphores.h"
#include "internal/dataflow/writes.h"
#include "internal/processor.h"
#include "tools/profiler/kernel_profiler.hpp"
