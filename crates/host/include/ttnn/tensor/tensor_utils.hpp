// Helpers for tensors: see tensor.hpp.
#pragma once

#include <ttnn/tensor/tensor.hpp>
