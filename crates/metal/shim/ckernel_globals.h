// The engine's names.

#pragma once

#include "ckernel.h"
