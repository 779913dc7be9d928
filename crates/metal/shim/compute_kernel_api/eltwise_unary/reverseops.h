// The older path of eltwise_unary/reverseops.h.

#pragma once

#include "api/compute/eltwise_unary/reverseops.h"
