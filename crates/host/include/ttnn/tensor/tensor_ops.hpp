// Tensors on a device: see tensor.hpp.
#pragma once

#include <ttnn/tensor/tensor.hpp>
