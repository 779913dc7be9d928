// The older path of eltwise_unary/lgamma.h.

#pragma once

#include "api/compute/eltwise_unary/lgamma.h"
