// Logging of host programs: warnings and errors go to standard error, the rest nowhere, as with
// tt-metal's usual level.
#pragma once

#include <cstdio>

#include <fmt/format.h>

namespace tt {

enum LogType {
    LogAlways,
    LogTest,
    LogMetal,
    LogDevice,
    LogOp,
    LogBuildKernels,
    LogDispatch,
    LogVerif,
    LogDistributed,
};

}  // namespace tt

namespace tilewright::host {

template <class... Args>
void log(const char* level, tt::LogType, fmt::format_string<Args...> text, const Args&... args) {
    fmt::println(stderr, "{}: {}", level, fmt::format(text, args...));
}

template <class... Args>
void log(const char* level, fmt::format_string<Args...> text, const Args&... args) {
    log(level, tt::LogAlways, text, args...);
}

// Compiled, so that its arguments are checked, and not shown.
template <class... Args>
void quiet(const Args&...) {}

}  // namespace tilewright::host

#define log_trace(...) ::tilewright::host::quiet(__VA_ARGS__)
#define log_debug(...) ::tilewright::host::quiet(__VA_ARGS__)
#define log_info(...) ::tilewright::host::quiet(__VA_ARGS__)
#define log_warning(...) ::tilewright::host::log("warning", __VA_ARGS__)
#define log_error(...) ::tilewright::host::log("error", __VA_ARGS__)
#define log_critical(...) ::tilewright::host::log("critical", __VA_ARGS__)
#define log_fatal(...) ::tilewright::host::log("critical", __VA_ARGS__)
