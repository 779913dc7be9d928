// The copy without the barrier that waits for its reads.

#define BROKEN
#include "copy.cpp"
