// The older path of add_int_sfpu.h.

#pragma once

#include "api/compute/add_int_sfpu.h"
