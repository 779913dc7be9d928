// The older path of situ_glu.h.

#pragma once

#include "api/compute/situ_glu.h"
