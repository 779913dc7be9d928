// The engine's names; its instructions and registers are not served.

#pragma once

#include "internal/processor.h"
#include "internal/risc_attribs.h"
#include "llk_defs.h"
