// Records of programs as they end. No dispatch core measures them here, which is a configuration
// that tt-metal has too: the profiler is not active, and no record arrives.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace tt::tt_metal::experimental {

struct ProgramRealtimeRecord {
    uint32_t runtime_id;
    uint32_t chip_id;
    uint64_t start_timestamp;
    uint64_t end_timestamp;
    double frequency;
    std::span<const std::string_view> kernel_sources;
};

struct ProgramRealtimeRecordBatch {
    std::span<const ProgramRealtimeRecord> records;
    uint64_t dropped;
};

using ProgramRealtimeProfilerCallback = std::function<void(const ProgramRealtimeRecordBatch&)>;
using ProgramRealtimeProfilerCallbackHandle = uint64_t;

inline ProgramRealtimeProfilerCallbackHandle RegisterProgramRealtimeProfilerCallback(
    const ProgramRealtimeProfilerCallback&) {
    static ProgramRealtimeProfilerCallbackHandle last = 0;
    return ++last;
}
inline void UnregisterProgramRealtimeProfilerCallback(ProgramRealtimeProfilerCallbackHandle) {}
inline bool IsProgramRealtimeProfilerActive() { return false; }

}  // namespace tt::tt_metal::experimental
