// The umbrella that older kernels include.

#pragma once

#include "api/compute/common.h"
