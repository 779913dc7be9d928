// What every host program needs of the runtime.

#include "cores.cpp"
#include "device.cpp"
#include "link.cpp"
#include "mesh.cpp"
#include "program.cpp"
#include "values.cpp"
