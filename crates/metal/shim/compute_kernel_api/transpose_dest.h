// The older path of transpose_dest.h.

#pragma once

#include "api/compute/transpose_dest.h"
