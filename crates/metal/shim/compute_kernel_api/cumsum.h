// The older path of cumsum.h.

#pragma once

#include "api/compute/cumsum.h"
