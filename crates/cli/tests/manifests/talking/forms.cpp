// Every form of printing.
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    DPRINT << "hex " << HEX() << 255u << DEC() << " dec " << 255u << ENDL();
    DPRINT << F32(1.5f) << " " << BF16(0x3f80) << " " << SETPRECISION(3) << 2.0f << ENDL();
    DPRINT("newer {} of {:x}\n", 1u, 255u);
    DEVICE_PRINT("newest {}\n", 7);
    DPRINT_DATA0("only on the writer {}\n", 0);
    DPRINT_DATA1("only on the reader {}\n", 1);
    DPRINT << "not ended";
}
