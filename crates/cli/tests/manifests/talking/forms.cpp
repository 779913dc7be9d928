// Every form of printing.
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"
#include "api/debug/waypoint.h"

void kernel_main() {
    DPRINT << "hex " << HEX() << 255u << DEC() << " dec " << 255u << ENDL();
    DPRINT << F32(1.5f) << " " << BF16(0x3f80) << " " << SETPRECISION(3) << 2.0f << ENDL();
    DPRINT("newer {} of {:x}\n", 1u, 255u);
    DEVICE_PRINT("newest {}\n", 7);
    DPRINT("{} {} {} {} {}\n", 0.1f, 1.0f, 1e20f, 0.00025f, 123456.0f);
    DPRINT("[{:>6}] [{:<6}] [{:^6}] [{:06}] [{:#x}] [{:+}] [{:.2f}]\n", 42u, 42u, 42u, -42, 255u, 7, 2.5f);
    DPRINT << SETW(6) << 42u << SETW(0) << " " << OCT() << 8u << DEC() << " " << FIXED() << SETPRECISION(2) << 1.0f << ENDL();
    DPRINT_DATA0("only on the writer {}\n", 0);
    DPRINT_DATA1("only on the reader {}\n", 1);
    WAYPOINT("HERE");
#ifdef COMPILE_FOR_NCRISC
    cb_reserve_back(0, 1);
    const auto values = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(0));
    for (uint32_t place = 0; place < 1024; ++place) {
        // 1 in the first face, 2 in the second.
        values[place] = place < 256 ? 0x3f80 : 0x4000;
    }
    DPRINT("{}\n", TSLICE(0, 0, SliceRange::hw041(), TSLICE_INPUT_CB, TSLICE_WR_PTR));
    DPRINT("{}\n", TSLICE(0, 0, SliceRange{0, 1, 1, 12, 20, 1}, TSLICE_INPUT_CB, TSLICE_WR_PTR));
#endif
    DPRINT << "not ended";
}
