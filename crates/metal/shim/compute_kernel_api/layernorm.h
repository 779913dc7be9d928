// The older path of layernorm.h.

#pragma once

#include "api/compute/layernorm.h"
