// Formats by number.

#pragma once

#include "internal/data_format.h"
