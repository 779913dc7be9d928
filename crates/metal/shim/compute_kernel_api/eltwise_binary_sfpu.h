// The older path of eltwise_binary_sfpu.h.

#pragma once

#include "api/compute/eltwise_binary_sfpu.h"
