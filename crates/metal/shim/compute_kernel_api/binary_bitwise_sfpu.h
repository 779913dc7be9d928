// The older path of binary_bitwise_sfpu.h.

#pragma once

#include "api/compute/binary_bitwise_sfpu.h"
