// Names that a kernel may mention and that the simulator does not serve.
//
// Helper headers name more than one call of them uses, so that the names must exist. A call that is
// left after templates and constant conditions ends the compilation at the kernel's line, with the
// name: nothing is declared that silently does nothing.

#pragma once

#include "tilewright/call.h"

// Marks one declaration; there must be no definition.
#define TW_NOT_SERVED(reason) __attribute__((error("tilewright does not serve this name: " reason)))

// Declares a function of any arguments that is not served.
#define TW_LACKS(name, reason)                \
    template <auto... Values, typename... Args> \
    TW_NOT_SERVED(reason)                     \
    void name(Args&&...)

// The same for a function whose result is used.
#define TW_LACKS_WORD(name, reason)           \
    template <auto... Values, typename... Args> \
    TW_NOT_SERVED(reason)                     \
    unsigned int name(Args&&...)

// Declares a function below the interface, such as an instruction. Code that is not executed may
// hold it; a call is refused when it is reached. Surveys count every call that is left.
#ifdef TW_CORPUS
#define TW_BELOW(name, what) TW_LACKS(name, what)
#else
#define TW_BELOW(name, what)                              \
    template <auto... Values, typename... Args>           \
    inline __attribute__((always_inline)) void name(Args&&...) { \
        tw_calls->not_modelled(TW_HERE, what);            \
    }
#endif
