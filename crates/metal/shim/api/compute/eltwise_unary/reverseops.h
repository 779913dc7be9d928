// Subtraction from a scalar, under its older header.

#pragma once

#include "api/compute/eltwise_unary/rsub.h"
