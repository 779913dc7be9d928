// The older path of compute_kernel_hw_startup.h.

#pragma once

#include "api/compute/compute_kernel_hw_startup.h"
