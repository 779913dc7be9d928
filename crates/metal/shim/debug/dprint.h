// The older path of dprint.h.

#pragma once

#include "api/debug/dprint.h"
