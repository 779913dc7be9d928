// The older path of eltwise_unary/negative.h.

#pragma once

#include "api/compute/eltwise_unary/negative.h"
