// The older path of transpose_wh_dest.h.

#pragma once

#include "api/compute/transpose_wh_dest.h"
