// What a tensor is: see types.hpp.
#pragma once

#include <ttnn/tensor/types.hpp>
