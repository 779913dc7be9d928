// The older path of eltwise_unary/typecast.h.

#pragma once

#include "api/compute/eltwise_unary/typecast.h"
