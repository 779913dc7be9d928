// The older path of logsigmoid.h.

#pragma once

#include "api/compute/logsigmoid.h"
