// The engine's names, and on math those of vector code: tt-metal's headers have them before any that a kernel includes.

#pragma once

#include "ckernel.h"
#ifdef TRISC_MATH
#include "cmath_common.h"
#endif
