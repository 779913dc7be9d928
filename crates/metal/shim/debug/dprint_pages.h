// The older path of the same header.

#pragma once

#include "api/debug/dprint_pages.h"
