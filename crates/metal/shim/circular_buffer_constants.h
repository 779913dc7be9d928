// The older path of the same header.

#pragma once

#include "tt-metalium/circular_buffer_constants.h"
