// What tt-train's program factories need of its collection of headers: the operations that it
// names besides are not served.
#pragma once

#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/math.hpp>
#include <ttnn/device_operation.hpp>
#include <ttnn/operations/core/compute_kernel/compute_kernel_config.hpp>
#include <ttnn/types.hpp>
