// What vector code of a kernel's own includes.

#pragma once

#include "cmath_common.h"
#include "llk_sfpu_types.h"
// Kernels call some of it on every processor.
#if defined(TRISC_UNPACK) && __has_include("sfpu/ckernel_sfpu_load_config.h")
#include "sfpu/ckernel_sfpu_load_config.h"
#endif
