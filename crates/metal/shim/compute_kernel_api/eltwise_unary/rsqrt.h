// The older path of eltwise_unary/rsqrt.h.

#pragma once

#include "api/compute/eltwise_unary/rsqrt.h"
