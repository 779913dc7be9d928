// Address generators.

#pragma once

#include "internal/dataflow/addresses.h"
