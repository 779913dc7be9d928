// The older path of eltwise_unary/fmod.h.

#pragma once

#include "api/compute/eltwise_unary/fmod.h"
