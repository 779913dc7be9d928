// The older path of mul_int_sfpu.h.

#pragma once

#include "api/compute/mul_int_sfpu.h"
