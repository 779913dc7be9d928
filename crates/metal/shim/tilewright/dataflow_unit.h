// What tt-metal's build puts before a data-movement kernel (firmware `brisck.cc`, `ncrisck.cc`).

#pragma once

#include <limits>

#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"
#include "chlkc_descriptors.h"
#include "tilewright/sizes.h"
