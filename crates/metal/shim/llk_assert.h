// Assertions of tt-llk, which kernels are built without.

#pragma once

#define LLK_ASSERT(condition, message) static_cast<void>(0)
