// The older path of eltwise_unary/bitwise.h.

#pragma once

#include "api/compute/eltwise_unary/bitwise.h"
