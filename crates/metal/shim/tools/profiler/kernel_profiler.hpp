// Profiler zones: events with a name, at the beginning and the end of a scope.

#pragma once

#include "tilewright/call.h"

namespace tw {

struct zone {
    const char* name;
    tw_site site;

    zone(const char* name, tw_site site) : name(name), site(site) { tw_calls->zone(site, name, TW_ZONE_BEGIN); }
    ~zone() { tw_calls->zone(site, name, TW_ZONE_END); }
    zone(const zone&) = delete;
};

}  // namespace tw

#define TW_JOIN_NAMES(a, b) a##b
#define TW_JOIN(a, b) TW_JOIN_NAMES(a, b)
#define DeviceZoneScopedN(name) \
    tw::zone TW_JOIN(tw_zone_, __LINE__)(name, TW_HERE)
#define DeviceZoneScopedMainN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN1(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN2(name) DeviceZoneScopedN(name)
#define DeviceTimestampedData(name, data) tw_calls->waypoint(TW_HERE, name)
#define DeviceRecordEvent(id) tw_calls->waypoint(TW_HERE, #id)
