// The engine's names; its registers are not served.

#pragma once

#include "ckernel.h"
