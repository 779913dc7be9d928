// The older path of assert.h.

#pragma once

#include "api/debug/assert.h"
