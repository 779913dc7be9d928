// ASSERT: always on, and a finding when it fails.

#pragma once

#include "tilewright/call.h"

#define ASSERT_ENABLED 1
#define ASSERT(condition, ...)                                           \
    (void(not(condition) ? tw_calls->assert_failed(TW_HERE, #condition), \
          0 : 0))
