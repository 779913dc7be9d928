// The older path of eltwise_unary/sfpu_int_sum.h.

#pragma once

#include "api/compute/eltwise_unary/sfpu_int_sum.h"
