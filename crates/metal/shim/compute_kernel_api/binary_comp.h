// The older path of binary_comp.h.

#pragma once

#include "api/compute/binary_comp.h"
