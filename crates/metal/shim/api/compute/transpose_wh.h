// The older path of transpose.h.

#pragma once

#include "api/compute/transpose.h"
