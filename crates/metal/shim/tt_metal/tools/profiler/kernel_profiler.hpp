// Profiler zones, by their path in a checkout.

#pragma once

#include "tools/profiler/kernel_profiler.hpp"
