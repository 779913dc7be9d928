// The older path of reduce.h.

#pragma once

#include "api/compute/reduce.h"
