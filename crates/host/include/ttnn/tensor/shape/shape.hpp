// Shapes: see ttnn/tensor/shape.hpp.
#pragma once

#include <ttnn/tensor/shape.hpp>
