// The older path of lcm.h.

#pragma once

#include "api/compute/lcm.h"
