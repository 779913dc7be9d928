// The older path of mask.h.

#pragma once

#include "api/compute/mask.h"
