// Everything of the host API that is not in its headers: compiled once, linked to every program.

#include "cores.cpp"
#include "device.cpp"
#include "link.cpp"
#include "mesh.cpp"
#include "program.cpp"
#include "specification.cpp"
#include "tensor.cpp"
#include "values.cpp"
