// The older path of transpose_wh.h.

#pragma once

#include "api/compute/transpose_wh.h"
