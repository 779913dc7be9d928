// The way to the simulator, which is another process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilewright/host/site.hpp>

namespace tilewright::host {

// Asks the simulator: `request` is JSON, `data` follows it. Throws what it refuses.
std::string ask(const std::string& request, const void* data, std::size_t bytes,
                const Location& here);
inline std::string ask(const std::string& request, const Location& here) {
    return ask(request, nullptr, 0, here);
}

// Whether the simulator can be asked: not by a process that a host program has forked.
bool is_linked();

// The numbers of an answer.
std::vector<uint64_t> numbers(const std::string& answer);

// JSON, written piece by piece.
class Json {
public:
    Json& field(const char* name);
    Json& text(const std::string& value);
    Json& number(uint64_t value);
    Json& boolean(bool value);
    Json& open(char bracket);
    Json& close(char bracket);
    Json& words(const std::vector<uint32_t>& all);
    // The fields `file` and `line` of a place as the object `site`.
    Json& site(const Location& here);
    const std::string& str() const { return out_; }

private:
    void separate();

    std::string out_;
    bool is_first_ = true;
};

}  // namespace tilewright::host
