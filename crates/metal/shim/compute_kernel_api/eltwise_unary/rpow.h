// The older path of eltwise_unary/rpow.h.

#pragma once

#include "api/compute/eltwise_unary/rpow.h"
