// The older path of eltwise_unary/isinf_isnan.h.

#pragma once

#include "api/compute/eltwise_unary/isinf_isnan.h"
