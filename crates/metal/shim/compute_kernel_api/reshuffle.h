// The older path of reshuffle.h.

#pragma once

#include "api/compute/reshuffle.h"
