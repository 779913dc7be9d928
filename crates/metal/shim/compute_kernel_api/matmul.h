// The older path of matmul.h.

#pragma once

#include "api/compute/matmul.h"
