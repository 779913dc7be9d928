// The older path of dataflow_api.h.

#pragma once

#include "api/dataflow/dataflow_api.h"
