// What hosts would define, for `tilewright corpus`, which compiles kernels without them.
//
// One plausible value for each macro: operations are empty, sizes are one.

#pragma once
