// The network's constants.

#pragma once

#include "internal/dataflow/places.h"
