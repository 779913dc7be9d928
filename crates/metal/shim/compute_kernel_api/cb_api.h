// The older path of cb_api.h.

#pragma once

#include "api/compute/cb_api.h"
