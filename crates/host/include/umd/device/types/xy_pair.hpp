// Pairs of coordinates: see tt-metalium/core_coord.hpp.
#pragma once

#include <tt-metalium/core_coord.hpp>
