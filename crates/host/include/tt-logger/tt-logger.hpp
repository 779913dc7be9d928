// Logging of host programs, as TT_LOGGER_LEVEL says: information to standard output, warnings and
// errors to standard error.
#pragma once

#include <string>

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
    LogLLRuntime,
    LogLoader,
    LogTimer,
    LogFabric,
    LogMetalTrace,
    LogInspector,
    LogUMD,
};

}  // namespace tt

namespace tilewright::host {

enum class Level { Trace, Debug, Info, Warning, Error, Critical, Off };

// Whether messages of a level are shown; information and more, unless TT_LOGGER_LEVEL says else.
bool is_shown(Level level);
void show(Level level, const std::string& text);

template <class... Args>
void log(Level level, tt::LogType, fmt::format_string<Args...> text, const Args&... args) {
    if (is_shown(level)) { show(level, fmt::format(text, args...)); }
}

template <class... Args>
void log(Level level, fmt::format_string<Args...> text, const Args&... args) {
    log(level, tt::LogAlways, text, args...);
}

}  // namespace tilewright::host

#define log_trace(...) ::tilewright::host::log(::tilewright::host::Level::Trace, __VA_ARGS__)
#define log_debug(...) ::tilewright::host::log(::tilewright::host::Level::Debug, __VA_ARGS__)
#define log_info(...) ::tilewright::host::log(::tilewright::host::Level::Info, __VA_ARGS__)
#define log_warning(...) ::tilewright::host::log(::tilewright::host::Level::Warning, __VA_ARGS__)
#define log_error(...) ::tilewright::host::log(::tilewright::host::Level::Error, __VA_ARGS__)
#define log_critical(...) ::tilewright::host::log(::tilewright::host::Level::Critical, __VA_ARGS__)
#define log_fatal(...) ::tilewright::host::log(::tilewright::host::Level::Critical, __VA_ARGS__)
