// What every kernel's object contains besides the kernel: the table, the entry, and the functions
// that instrumented code calls. Compiled once, without instrumentation.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <typeinfo>

#include <sys/syscall.h>

#include "tilewright/abi.h"

#define TW_EXPORT extern "C" __attribute__((visibility("default")))
#define TW_HIDDEN extern "C" __attribute__((visibility("hidden")))
// Of a function that kernels call: where it was called from.
#define TW_CALLER \
    tw_site { __builtin_return_address(0), *static_cast<void**>(__builtin_frame_address(0)) }

void kernel_main();
// Of <unistd.h>, whose `_exit` is not ours.
extern "C" long syscall(long number, ...) noexcept;

// In a section of their own: what is left in .data and .bss is the kernel's.
TW_HIDDEN const tw_table* tw_calls;
__attribute__((section(".tw"))) const tw_table* tw_calls = nullptr;
TW_HIDDEN void* __dso_handle;
__attribute__((section(".tw"))) void* __dso_handle = nullptr;

// Takes the table; refuses one of another version.
TW_EXPORT uint32_t tw_bind(const tw_table* table) {
    if (table->version != TW_ABI_VERSION || table->bytes != sizeof(tw_table)) {
        return 0;
    }
    tw_calls = table;
    return 1;
}

// Runs the kernel. An exception ends here; the simulator's own unwinding must go on.
TW_EXPORT void tw_enter() {
    try {
        kernel_main();
    } catch (const std::exception& thrown) {
        tw_calls->threw({}, thrown.what());
    } catch (...) {
        if (tw_calls->is_unwinding()) {
            throw;
        }
        tw_calls->threw({}, "no std::exception");
    }
}

// -fsanitize-coverage=trace-pc calls this in every block, also while the object is being loaded.
TW_HIDDEN void __sanitizer_cov_trace_pc() {
    if (tw_calls != nullptr && tw_calls->tick() != 0) {
        tw_calls->stride(TW_CALLER);
    }
}

// -fsanitize=thread calls these at every access that may be to memory. L1 lies below 4 GiB;
// whatever else a kernel has lies above.
static inline void touched(tw_site site, const volatile void* at, size_t bytes, bool is_write) {
    if (reinterpret_cast<uintptr_t>(at) >> 32 != 0 || tw_calls == nullptr) {
        return;
    }
    (is_write ? tw_calls->l1_write : tw_calls->l1_read)(site, at, bytes);
}

#define TW_ACCESS(name, bytes)                                                               \
    TW_HIDDEN void __tsan_##name##read##bytes(void* at) { touched(TW_CALLER, at, bytes, false); } \
    TW_HIDDEN void __tsan_##name##write##bytes(void* at) { touched(TW_CALLER, at, bytes, true); }
TW_ACCESS(, 1)
TW_ACCESS(, 2)
TW_ACCESS(, 4)
TW_ACCESS(, 8)
TW_ACCESS(, 16)
TW_ACCESS(volatile_, 1)
TW_ACCESS(volatile_, 2)
TW_ACCESS(volatile_, 4)
TW_ACCESS(volatile_, 8)
TW_ACCESS(volatile_, 16)
TW_ACCESS(unaligned_, 2)
TW_ACCESS(unaligned_, 4)
TW_ACCESS(unaligned_, 8)
TW_ACCESS(unaligned_, 16)
TW_ACCESS(unaligned_volatile_, 2)
TW_ACCESS(unaligned_volatile_, 4)
TW_ACCESS(unaligned_volatile_, 8)
TW_ACCESS(unaligned_volatile_, 16)
TW_HIDDEN void __tsan_init() {}
TW_HIDDEN void __tsan_func_entry(void*) {}
TW_HIDDEN void __tsan_func_exit() {}
TW_HIDDEN void __tsan_vptr_update(void**, void*) {}
TW_HIDDEN void __tsan_vptr_read(void**) {}
TW_HIDDEN void __tsan_read_range(void* at, size_t bytes) { touched(TW_CALLER, at, bytes, false); }
TW_HIDDEN void __tsan_write_range(void* at, size_t bytes) { touched(TW_CALLER, at, bytes, true); }

// Atomic accesses come as calls too. A processor is alone with its L1 while it executes.
#define TW_ATOMIC_CHANGE(bits, name, expression)                                                \
    TW_HIDDEN uint##bits##_t __tsan_atomic##bits##_##name(                                      \
        volatile uint##bits##_t* at, uint##bits##_t value, int) {                               \
        touched(TW_CALLER, at, bits / 8, false);                                                \
        touched(TW_CALLER, at, bits / 8, true);                                                 \
        const uint##bits##_t old = *at;                                                         \
        *at = static_cast<uint##bits##_t>(expression);                                          \
        return old;                                                                             \
    }
#define TW_ATOMIC_COMPARE(bits, name)                                                           \
    TW_HIDDEN int __tsan_atomic##bits##_compare_exchange_##name(                                \
        volatile uint##bits##_t* at, uint##bits##_t* expected, uint##bits##_t value, int, int) { \
        touched(TW_CALLER, at, bits / 8, false);                                                \
        const uint##bits##_t old = *at;                                                         \
        if (old != *expected) {                                                                 \
            *expected = old;                                                                    \
            return 0;                                                                           \
        }                                                                                       \
        touched(TW_CALLER, at, bits / 8, true);                                                 \
        *at = value;                                                                            \
        return 1;                                                                               \
    }
// g++ calls the two above, clang++ this one: what was there tells whether it was changed.
#define TW_ATOMIC_COMPARE_VALUE(bits)                                                           \
    TW_HIDDEN uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                        \
        volatile uint##bits##_t* at, uint##bits##_t expected, uint##bits##_t value, int, int) { \
        touched(TW_CALLER, at, bits / 8, false);                                                \
        const uint##bits##_t old = *at;                                                         \
        if (old == expected) {                                                                  \
            touched(TW_CALLER, at, bits / 8, true);                                             \
            *at = value;                                                                        \
        }                                                                                       \
        return old;                                                                             \
    }
#define TW_ATOMIC(bits)                                                                         \
    TW_HIDDEN uint##bits##_t __tsan_atomic##bits##_load(                                        \
        const volatile uint##bits##_t* at, int) {                                               \
        touched(TW_CALLER, at, bits / 8, false);                                                \
        return *at;                                                                             \
    }                                                                                           \
    TW_HIDDEN void __tsan_atomic##bits##_store(                                                 \
        volatile uint##bits##_t* at, uint##bits##_t value, int) {                               \
        touched(TW_CALLER, at, bits / 8, true);                                                 \
        *at = value;                                                                            \
    }                                                                                           \
    TW_ATOMIC_CHANGE(bits, exchange, value)                                                     \
    TW_ATOMIC_CHANGE(bits, fetch_add, old + value)                                              \
    TW_ATOMIC_CHANGE(bits, fetch_sub, old - value)                                              \
    TW_ATOMIC_CHANGE(bits, fetch_and, old & value)                                              \
    TW_ATOMIC_CHANGE(bits, fetch_or, old | value)                                               \
    TW_ATOMIC_CHANGE(bits, fetch_xor, old ^ value)                                              \
    TW_ATOMIC_CHANGE(bits, fetch_nand, ~(old & value))                                          \
    TW_ATOMIC_COMPARE(bits, strong)                                                             \
    TW_ATOMIC_COMPARE(bits, weak)                                                               \
    TW_ATOMIC_COMPARE_VALUE(bits)
TW_ATOMIC(8)
TW_ATOMIC(16)
TW_ATOMIC(32)
TW_ATOMIC(64)
TW_HIDDEN void __tsan_atomic_thread_fence(int) {}
TW_HIDDEN void __tsan_atomic_signal_fence(int) {}

// The library's own are not instrumented, so kernels get these.
TW_HIDDEN void* memcpy(void* to, const void* from, size_t bytes) {
    touched(TW_CALLER, from, bytes, false);
    touched(TW_CALLER, to, bytes, true);
    auto* target = static_cast<volatile unsigned char*>(to);
    auto* source = static_cast<const volatile unsigned char*>(from);
    for (size_t i = 0; i < bytes; ++i) {
        target[i] = source[i];
    }
    return to;
}
TW_HIDDEN void* memmove(void* to, const void* from, size_t bytes) {
    touched(TW_CALLER, from, bytes, false);
    touched(TW_CALLER, to, bytes, true);
    auto* target = static_cast<volatile unsigned char*>(to);
    auto* source = static_cast<const volatile unsigned char*>(from);
    bool upwards = target < source;
    for (size_t i = 0; i < bytes; ++i) {
        size_t place = upwards ? i : bytes - 1 - i;
        target[place] = source[place];
    }
    return to;
}
TW_HIDDEN void* memset(void* to, int value, size_t bytes) {
    touched(TW_CALLER, to, bytes, true);
    auto* target = static_cast<volatile unsigned char*>(to);
    const auto byte = static_cast<unsigned char>(value);
    const uint64_t word = 0x0101010101010101u * byte;
    size_t i = 0;
    for (; i < bytes && reinterpret_cast<uintptr_t>(target + i) % sizeof(word) != 0; ++i) {
        target[i] = byte;
    }
    for (; i + sizeof(word) <= bytes; i += sizeof(word)) {
        *reinterpret_cast<volatile uint64_t*>(target + i) = word;
    }
    for (; i < bytes; ++i) {
        target[i] = byte;
    }
    return to;
}

// Kernels of the device are compiled without exceptions: whatever is thrown ends the run, where it
// is thrown. What libraries throw arrives in `tw_enter`.
TW_HIDDEN __attribute__((noreturn)) void __cxa_throw(void* thrown, std::type_info* type, void (*)(void*)) {
    const char* what = type->name();
#ifdef __GLIBCXX__
    void* object = thrown;
    if (typeid(std::exception).__do_catch(type, &object, 1)) {
        what = static_cast<const std::exception*>(object)->what();
    }
#endif
    tw_calls->threw(TW_CALLER, what);
    __builtin_unreachable();
}

// A kernel cannot end the process. A constructor can: there is no table yet while an object is
// being loaded, and the supervisor tells how the process ended.
static void end(tw_site site, const char* name, int code) {
    if (tw_calls == nullptr) {
        syscall(SYS_exit_group, code);
    }
    tw_calls->ended(site, name, code);
    __builtin_unreachable();
}
TW_HIDDEN __attribute__((noreturn)) void exit(int code) {
    end(TW_CALLER, "exit", code);
    __builtin_unreachable();
}
TW_HIDDEN __attribute__((noreturn)) void _exit(int code) {
    end(TW_CALLER, "_exit", code);
    __builtin_unreachable();
}
TW_HIDDEN __attribute__((noreturn)) void abort() {
    end(TW_CALLER, "abort", 0);
    __builtin_unreachable();
}
