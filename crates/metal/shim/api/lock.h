// Something that is given back at the end of a scope.

#pragma once

template <typename Release>
class Lock {
public:
    explicit Lock(Release release) : release_(release) {}
    ~Lock() { release_(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    Release release_;
};
