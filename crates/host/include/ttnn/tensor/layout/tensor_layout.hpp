// How a tensor is laid out: see types.hpp.
#pragma once

#include <ttnn/tensor/types.hpp>
