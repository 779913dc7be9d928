// The older path of bcast.h.

#pragma once

#include "api/compute/bcast.h"
