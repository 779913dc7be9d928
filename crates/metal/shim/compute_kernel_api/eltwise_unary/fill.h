// The older path of eltwise_unary/fill.h.

#pragma once

#include "api/compute/eltwise_unary/fill.h"
