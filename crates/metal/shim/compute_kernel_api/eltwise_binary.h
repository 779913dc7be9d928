// The older path of eltwise_binary.h.

#pragma once

#include "api/compute/eltwise_binary.h"
