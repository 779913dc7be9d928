// The older path of softmax.h.

#pragma once

#include "api/compute/softmax.h"
