// The product whose sender does not wait until the others have room.

#define BROKEN
#include "matmul.cpp"
