// The older path of eltwise_unary/snake_beta.h.

#pragma once

#include "api/compute/eltwise_unary/snake_beta.h"
