// The older path of eltwise_unary/xielu.h.

#pragma once

#include "api/compute/eltwise_unary/xielu.h"
