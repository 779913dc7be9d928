// The older path of eltwise_unary/digamma.h.

#pragma once

#include "api/compute/eltwise_unary/digamma.h"
