// What every host program needs of the runtime.

#include "cores.cpp"
#include "device.cpp"
#include "l1.cpp"
#include "link.cpp"
#include "mesh.cpp"
#include "program.cpp"
#include "values.cpp"
