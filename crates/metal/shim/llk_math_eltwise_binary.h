// What kernels use of tt-llk's header is in ours.

#pragma once

#include "internal/llk.h"
