// The older path of tile_move_copy.h.

#pragma once

#include "api/compute/tile_move_copy.h"
