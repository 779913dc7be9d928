// Copies tiles through Dst.

#include <cstdint>

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/dataflow/dataflow_buffer.h"
#include "experimental/kernel_args.h"

void kernel_main() {
    DataflowBuffer in(dfb::in);
    DataflowBuffer out(dfb::out);
    compute_kernel_hw_startup(dfb::in, dfb::out);
    copy_tile_init(dfb::in);
    for (uint32_t tile = 0; tile < get_arg(args::tiles); ++tile) {
        in.wait_front(1);
        tile_regs_acquire();
        copy_tile(dfb::in, 0, 0);
        tile_regs_commit();
        in.pop_front(1);
        out.reserve_back(1);
        tile_regs_wait();
        pack_tile(0, dfb::out);
        tile_regs_release();
        out.push_back(1);
    }
}
