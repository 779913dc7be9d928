// The older path of eltwise_unary/hardtanh.h.

#pragma once

#include "api/compute/eltwise_unary/hardtanh.h"
