// The older path of gcd.h.

#pragma once

#include "api/compute/gcd.h"
