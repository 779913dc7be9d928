// The watcher's ring of words: here a line of print for each.

#pragma once

#include "api/debug/dprint.h"

#define WATCHER_RING_BUFFER_PUSH(x) DPRINT("ring buffer: {}\n", static_cast<uint32_t>(x))
