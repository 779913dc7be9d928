// What programs need that use tensors, or programs from specifications.

#include "descriptor.cpp"
#include "specification.cpp"
#include "tensor.cpp"
#include "throttle.cpp"
