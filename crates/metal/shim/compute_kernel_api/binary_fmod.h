// The older path of binary_fmod.h.

#pragma once

#include "api/compute/binary_fmod.h"
