// What tt-llk puts before vector code.

#pragma once

#include "internal/math_counters.h"

#ifndef TRISC_UNPACK
#include "sfpi.h"
// Functions are those of the kernel's own tree; some call these without including them.
#if __has_include("sfpu/ckernel_sfpu_load_config.h")
#include "sfpu/ckernel_sfpu_converter.h"
#include "sfpu/ckernel_sfpu_load_config.h"
#endif
#endif
