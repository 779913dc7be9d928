// The older path of eltwise_unary/activations.h.

#pragma once

#include "api/compute/eltwise_unary/activations.h"
