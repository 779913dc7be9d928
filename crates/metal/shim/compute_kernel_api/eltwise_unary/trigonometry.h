// The older path of eltwise_unary/trigonometry.h.

#pragma once

#include "api/compute/eltwise_unary/trigonometry.h"
