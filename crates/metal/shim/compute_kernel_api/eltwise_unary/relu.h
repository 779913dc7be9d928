// The older path of eltwise_unary/relu.h.

#pragma once

#include "api/compute/eltwise_unary/relu.h"
