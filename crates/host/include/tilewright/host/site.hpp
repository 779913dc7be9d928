// Lines of a host program, and errors that know theirs.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace tilewright::host {

using Location = std::source_location;

// What tt-metal would refuse, with the line of the host program that asked for it.
class Error : public std::runtime_error {
public:
    Error(const std::string& text, std::string message, const char* file, unsigned line)
        : std::runtime_error(text), message(std::move(message)), file(file), line(line) {}

    std::string message;
    const char* file;
    unsigned line;
};

// Throws an error in tt-metal's form.
[[noreturn]] void fail(const char* kind, const std::string& condition, const std::string& message,
                       const char* file, unsigned line);

// Refuses a call of the host API.
[[noreturn]] inline void refuse(const std::string& message, const Location& here) {
    fail("TT_FATAL", "false", message, here.file_name(), here.line());
}

// What kernels print is shown when the host program next waits for its queue, or launches again.
void print_later(const std::string& printed);
void print_now();

}  // namespace tilewright::host
