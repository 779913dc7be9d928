// What tt-metal's build puts before a compute kernel (firmware `trisck.cc`, `chlkc_list.h`).

#pragma once

#include <limits>

#include "api/compile_time_args.h"
#include "api/compute/common.h"
#include "api/debug/dprint.h"
#include "chlkc_descriptors.h"
#include "tilewright/sizes.h"

// tt-metal's functions have a form without SFPLOADMACRO, which is not modelled; results are the same.
#ifndef DISABLE_SFPLOADMACRO
#define DISABLE_SFPLOADMACRO
#endif

using namespace ckernel;
