// The older path of eltwise_unary/i0.h.

#pragma once

#include "api/compute/eltwise_unary/i0.h"
