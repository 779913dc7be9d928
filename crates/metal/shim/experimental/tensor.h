// Where `api/tensor/noc_traits.h` was until it left `experimental`.

#pragma once

#include "api/tensor/noc_traits.h"
#ifndef COMPILE_FOR_TRISC
#include "experimental/noc.h"
#endif
