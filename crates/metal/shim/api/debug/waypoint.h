// WAYPOINT: an event with a name of up to four letters.

#pragma once

#include "tilewright/call.h"

#define WAYPOINT(name) tw_calls->waypoint(TW_HERE, name)
