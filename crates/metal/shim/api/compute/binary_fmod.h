// Binary fmod: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(fmod_int32);
TW_LACKS_TILE(fmod_binary);

}  // namespace ckernel
