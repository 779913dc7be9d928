// The older path of eltwise_unary/where.h.

#pragma once

#include "api/compute/eltwise_unary/where.h"
