// The engine's names.

#pragma once

#include "internal/engine.h"
#include "internal/processor.h"
#include "internal/risc_attribs.h"
#include "llk_defs.h"
