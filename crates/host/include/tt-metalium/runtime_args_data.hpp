// Runtime arguments of a kernel on one core.
#pragma once

#include <cstdint>
#include <vector>

#include <tilewright/host/site.hpp>

namespace tt::tt_metal {

class RuntimeArgsData {
public:
    std::size_t size() const { return words_.size(); }
    uint32_t* data() { return words_.data(); }
    const uint32_t* data() const { return words_.data(); }
    uint32_t& at(std::size_t index) { return words_.at(index); }
    uint32_t& operator[](std::size_t index) {
        if (index >= words_.size()) { beyond(index); }
        return words_[index];
    }
    const uint32_t& operator[](std::size_t index) const {
        if (index >= words_.size()) { beyond(index); }
        return words_[index];
    }
    auto begin() { return words_.begin(); }
    auto end() { return words_.end(); }

    std::vector<uint32_t>& words() { return words_; }
    const std::vector<uint32_t>& words() const { return words_; }

private:
    [[noreturn]] void beyond(std::size_t index) const;

    std::vector<uint32_t> words_;
};

}  // namespace tt::tt_metal
