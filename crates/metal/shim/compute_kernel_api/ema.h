// The older path of ema.h.

#pragma once

#include "api/compute/ema.h"
