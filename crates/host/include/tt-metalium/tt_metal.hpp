// Programs and devices: see host_api.hpp.
#pragma once

#include <tt-metalium/host_api.hpp>
