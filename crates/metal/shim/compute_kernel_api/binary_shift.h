// The older path of binary_shift.h.

#pragma once

#include "api/compute/binary_shift.h"
