// The older path of eltwise_unary/softcap.h.

#pragma once

#include "api/compute/eltwise_unary/softcap.h"
