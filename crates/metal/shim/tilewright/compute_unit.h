// What tt-metal's build puts before a compute kernel (firmware `trisck.cc`, `chlkc_list.h`).

#pragma once

#include <limits>

#include "api/compile_time_args.h"
#include "api/compute/common.h"
#include "api/debug/dprint.h"
#include "chlkc_descriptors.h"
#include "tilewright/sizes.h"

using namespace ckernel;
