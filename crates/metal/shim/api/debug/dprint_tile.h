// Printing; see dprint.h.

#pragma once

#include "api/debug/dprint.h"
