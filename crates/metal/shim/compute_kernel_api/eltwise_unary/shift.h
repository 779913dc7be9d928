// The older path of eltwise_unary/shift.h.

#pragma once

#include "api/compute/eltwise_unary/shift.h"
