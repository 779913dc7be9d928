// Prints two million lines and ends.
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    for (int i = 0; i < 2000000; i++) {
        DPRINT << "hello " << i << ENDL();
    }
}
