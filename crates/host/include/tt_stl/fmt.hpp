// Texts of host types: see fmt/format.h.
#pragma once

#include <fmt/format.h>
