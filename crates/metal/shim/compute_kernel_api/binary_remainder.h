// The older path of binary_remainder.h.

#pragma once

#include "api/compute/binary_remainder.h"
