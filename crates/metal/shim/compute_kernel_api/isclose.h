// The older path of isclose.h.

#pragma once

#include "api/compute/isclose.h"
