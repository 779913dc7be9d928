// The older path of untilize.h.

#pragma once

#include "api/compute/untilize.h"
