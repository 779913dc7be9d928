// The older path of eltwise_unary/tanh_derivative.h.

#pragma once

#include "api/compute/eltwise_unary/tanh_derivative.h"
