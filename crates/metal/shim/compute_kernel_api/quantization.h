// The older path of quantization.h.

#pragma once

#include "api/compute/quantization.h"
