// The older path of pack_untilize.h.

#pragma once

#include "api/compute/pack_untilize.h"
