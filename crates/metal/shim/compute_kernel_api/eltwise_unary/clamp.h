// The older path of eltwise_unary/clamp.h.

#pragma once

#include "api/compute/eltwise_unary/clamp.h"
