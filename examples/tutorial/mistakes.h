// What the tutorial does wrong, chosen with `--set mistake=N`. A kernel of one's own has no such file.

#pragma once

#include <cstdint>

constexpr uint32_t no_barrier = 1;
constexpr uint32_t no_startup = 2;
constexpr uint32_t too_many_pages = 3;
constexpr uint32_t stale_sum = 4;
constexpr uint32_t early_push = 5;
