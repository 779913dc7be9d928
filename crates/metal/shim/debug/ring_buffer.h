// The older path of the same header.

#pragma once

#include "api/debug/ring_buffer.h"
