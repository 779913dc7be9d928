// What every compute kernel uses: arguments, rings, Dst, packing, start-up, formats.

#pragma once

#include "api/compile_time_args.h"
#include "api/compute/cb_api.h"
#include "api/compute/common_globals.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/debug/assert.h"
#include "api/debug/waypoint.h"
#include "internal/arguments.h"
#include "internal/llk.h"
#include "internal/mod_div_lib.h"
#include "tools/profiler/kernel_profiler.hpp"
