// The older path of reduce_custom.h.

#pragma once

#include "api/compute/reduce_custom.h"
