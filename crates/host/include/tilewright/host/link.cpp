// Messages to the simulator and back, and what becomes of a host program that fails.

#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include <tilewright/host/link.hpp>

extern "C" char __ehdr_start;

namespace tilewright::host {

namespace {

int link_descriptor = -1;
std::mutex link_lock;
bool is_reported = false;

bool send_all(const void* data, std::size_t bytes) {
    auto at = static_cast<const char*>(data);
    while (bytes > 0) {
        ssize_t sent = ::send(link_descriptor, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) { continue; }
        if (sent <= 0) { return false; }
        at += sent;
        bytes -= sent;
    }
    return true;
}

bool receive_all(void* data, std::size_t bytes) {
    auto at = static_cast<char*>(data);
    while (bytes > 0) {
        ssize_t got = ::recv(link_descriptor, at, bytes, 0);
        if (got < 0 && errno == EINTR) { continue; }
        if (got <= 0) { return false; }
        at += got;
        bytes -= got;
    }
    return true;
}

bool send_message(const char* request, uint64_t length, const void* data, uint64_t bytes) {
    uint64_t head[2] = {length, bytes};
    return send_all(head, sizeof(head)) && send_all(request, length) && send_all(data, bytes);
}

// Without its simulator a host program has no device: it ends, and the simulator says why.
[[noreturn]] void lost() { ::_exit(70); }

// Appends a number without allocating anything.
char* append(char* at, uint64_t value) {
    char digits[24];
    int count = 0;
    do {
        digits[count++] = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0) { *at++ = digits[--count]; }
    return at;
}

char* append(char* at, const char* text) {
    while (*text != '\0') { *at++ = *text++; }
    return at;
}

// Tells the simulator where the program is: return addresses from the start of the executable.
void report_stack(const char* call, int signal, void* instruction) {
    constexpr int DEPTH = 64;
    void* frames[DEPTH];
    int depth = ::backtrace(frames, DEPTH);
    auto base = reinterpret_cast<uintptr_t>(&__ehdr_start);
    char text[64 + DEPTH * 24];
    char* at = append(text, "{\"call\":\"");
    at = append(append(at, call), "\",\"signal\":");
    at = append(append(at, static_cast<uint64_t>(signal)), ",\"addresses\":[");
    if (instruction != nullptr) {
        at = append(at, reinterpret_cast<uintptr_t>(instruction) + 1 - base);
    } else {
        at = append(at, "0");
    }
    // Frames up to the instruction are those of the handler.
    int first = 0;
    for (int place = 0; place < depth; place++) {
        if (frames[place] == instruction) { first = place + 1; }
    }
    for (int place = first; place < depth; place++) {
        at = append(append(at, ","), reinterpret_cast<uintptr_t>(frames[place]) - base);
    }
    at = append(at, "]}");
    send_message(text, at - text, nullptr, 0);
}

void* instruction_of(void* context) {
#if defined(__x86_64__)
    auto registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    return reinterpret_cast<void*>(registers[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#else
    return nullptr;
#endif
}

// What kernels have printed and nobody has shown.
std::string& printed_text() {
    static std::string* text = new std::string();
    return *text;
}

void on_crash(int signal, siginfo_t*, void* context) {
    if (!is_reported) {
        is_reported = true;
        print_now();
        std::fflush(stdout);
        report_stack("crash", signal, signal == SIGABRT ? nullptr : instruction_of(context));
    }
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

// What an exception that nobody catches says.
std::string what_of(std::exception_ptr thrown, Json& report) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) {
        report.field("file").text(error.file).field("line").number(error.line);
        return error.message.empty() ? error.what() : error.message;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        int status = 0;
        auto type = abi::__cxa_current_exception_type();
        char* name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr;
        return std::string("an exception of type ") + (name ? name : "unknown");
    }
}

void on_terminate() {
    is_reported = true;
    print_now();
    std::fflush(stdout);
    report_stack("stack", 0, nullptr);
    Json report;
    report.open('{').field("call").text("uncaught");
    std::string what = "std::terminate was called";
    if (auto thrown = std::current_exception()) { what = what_of(thrown, report); }
    report.field("what").text(what).close('}');
    send_message(report.str().data(), report.str().size(), nullptr, 0);
    std::abort();
}

// A process that the program forks goes on without devices, as it would beside a card that its
// parent drives.
void on_fork() {
    ::close(link_descriptor);
    link_descriptor = -1;
    printed_text().clear();
}

void catch_crashes() {
    // The first call loads a library, which a handler may not do.
    void* frame;
    ::backtrace(&frame, 1);
    static char stack[1 << 16];
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof(stack);
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        ::sigaction(signal, &action, nullptr);
    }
    std::set_terminate(on_terminate);
}

// Starts the program again under the simulator, if it was started by itself.
[[noreturn]] void restart(int argc, char** argv) {
    const char* named = std::getenv("TILEWRIGHT");
    const char* binary = named ? named : "tilewright";
    std::vector<const char*> words = {binary, "exec", "--program", "/proc/self/exe"};
    char self[4096];
    ssize_t length = ::readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length > 0) {
        self[length] = '\0';
        words.back() = self;
    }
    words.push_back("--");
    for (int place = 1; place < argc; place++) { words.push_back(argv[place]); }
    words.push_back(nullptr);
    ::execvp(binary, const_cast<char**>(words.data()));
    std::fprintf(stderr,
                 "this program needs `tilewright` to run: put it on PATH, or its path in the "
                 "variable TILEWRIGHT\n");
    ::_exit(2);
}

__attribute__((constructor(101))) void attach(int argc, char** argv, char**) {
    const char* given = std::getenv("TILEWRIGHT_HOST_LINK");
    if (given == nullptr) { restart(argc, argv); }
    link_descriptor = std::atoi(given);
    // Processes that the program starts are no host programs of this simulator.
    ::fcntl(link_descriptor, F_SETFD, FD_CLOEXEC);
    ::unsetenv("TILEWRIGHT_HOST_LINK");
    ::pthread_atfork(nullptr, nullptr, on_fork);
    std::atexit(print_now);
    catch_crashes();
}

}  // namespace

void print_later(const std::string& printed) { printed_text() += printed; }

void print_now() {
    std::string& text = printed_text();
    std::fwrite(text.data(), 1, text.size(), stdout);
    text.clear();
}

bool is_linked() { return link_descriptor >= 0; }

std::string ask(const std::string& request, const void* data, std::size_t bytes,
                const Location& here) {
    if (!is_linked()) { refuse("a forked process cannot use its parent's devices", here); }
    std::lock_guard guard(link_lock);
    if (!send_message(request.data(), request.size(), data, bytes)) { lost(); }
    unsigned char status = 0;
    uint64_t length = 0;
    if (!receive_all(&status, 1) || !receive_all(&length, sizeof(length))) { lost(); }
    std::string answer(length, '\0');
    if (!receive_all(answer.data(), length)) { lost(); }
    if (status != 0) { refuse(answer, here); }
    return answer;
}

std::vector<uint64_t> numbers(const std::string& answer) {
    std::vector<uint64_t> all;
    const char* at = answer.c_str();
    while (*at != '\0') {
        char* end = nullptr;
        uint64_t value = std::strtoull(at, &end, 10);
        if (end == at) { break; }
        all.push_back(value);
        at = end;
    }
    return all;
}

void fail(const char* kind, const std::string& condition, const std::string& message,
          const char* file, unsigned line) {
    std::string text = std::string(kind) + " @ " + file + ":" + std::to_string(line) + ": " +
                       condition + "\n";
    if (!message.empty()) { text += "info:\n" + message + "\n"; }
    throw Error(text, message.empty() ? std::string(kind) + "(" + condition + ")" : message, file,
                line);
}

void Json::separate() {
    if (!is_first_) { out_ += ','; }
    is_first_ = false;
}

Json& Json::field(const char* name) {
    text(name);
    out_ += ':';
    is_first_ = true;
    return *this;
}

Json& Json::text(const std::string& value) {
    separate();
    out_ += '"';
    for (unsigned char c : value) {
        if (c == '"' || c == '\\') {
            out_ += '\\';
            out_ += static_cast<char>(c);
        } else if (c < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
            out_ += escaped;
        } else {
            out_ += static_cast<char>(c);
        }
    }
    out_ += '"';
    return *this;
}

Json& Json::number(uint64_t value) {
    separate();
    out_ += std::to_string(value);
    return *this;
}

Json& Json::boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
    return *this;
}

Json& Json::open(char bracket) {
    separate();
    out_ += bracket;
    is_first_ = true;
    return *this;
}

Json& Json::close(char bracket) {
    out_ += bracket;
    is_first_ = false;
    return *this;
}

Json& Json::words(const std::vector<uint32_t>& all) {
    open('[');
    for (uint32_t word : all) { number(word); }
    return close(']');
}

Json& Json::site(const Location& here) {
    field("site").open('{').field("file").text(here.file_name());
    return field("line").number(here.line()).close('}');
}

}  // namespace tilewright::host
