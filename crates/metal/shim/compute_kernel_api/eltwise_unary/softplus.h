// The older path of eltwise_unary/softplus.h.

#pragma once

#include "api/compute/eltwise_unary/softplus.h"
