// Sizes of tiles and faces.

#pragma once

#include "tt-metalium/constants.hpp"
