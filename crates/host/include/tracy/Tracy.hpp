// Zones of a host profiler, which measures nothing here: a host program's time is this computer's.
#pragma once

#define ZoneScoped
#define ZoneScopedN(name)
#define ZoneScopedC(color)
#define ZoneScopedNC(name, color)
#define ZoneName(text, size)
#define ZoneText(text, size)
#define FrameMark
#define TracyMessage(text, size)
#define TracyMessageL(text)
