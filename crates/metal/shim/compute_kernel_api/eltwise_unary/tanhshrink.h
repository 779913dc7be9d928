// The older path of eltwise_unary/tanhshrink.h.

#pragma once

#include "api/compute/eltwise_unary/tanhshrink.h"
