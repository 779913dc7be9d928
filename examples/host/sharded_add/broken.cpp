// The sum that leaves out the last tile of each core.

#define BROKEN
#include "sharded_add.cpp"
