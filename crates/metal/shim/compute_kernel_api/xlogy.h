// The older path of xlogy.h.

#pragma once

#include "api/compute/xlogy.h"
