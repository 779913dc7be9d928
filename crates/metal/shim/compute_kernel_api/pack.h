// The older path of pack.h.

#pragma once

#include "api/compute/pack.h"
