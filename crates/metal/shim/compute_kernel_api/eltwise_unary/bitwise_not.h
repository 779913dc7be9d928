// The older path of eltwise_unary/bitwise_not.h.

#pragma once

#include "api/compute/eltwise_unary/bitwise_not.h"
