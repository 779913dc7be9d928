// The older path of eltwise_unary/gelu.h.

#pragma once

#include "api/compute/eltwise_unary/gelu.h"
