// Pages of a tensor: see types.hpp.
#pragma once

#include <ttnn/tensor/types.hpp>
