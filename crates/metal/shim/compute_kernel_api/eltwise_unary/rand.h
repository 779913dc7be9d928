// The older path of eltwise_unary/rand.h.

#pragma once

#include "api/compute/eltwise_unary/rand.h"
