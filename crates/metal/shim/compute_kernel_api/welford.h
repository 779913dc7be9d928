// The older path of welford.h.

#pragma once

#include "api/compute/welford.h"
