// Names of the engine below its interface, for code that is held and not executed.

#pragma once

#include "ckernel_addrmod.h"
#include "ckernel_instr_params.h"
#include "ckernel_ops.h"
#include "ckernel_template.h"
#include "lltt.h"

// The register with the first row of Dst that a processor writes.
inline constexpr std::uint32_t DEST_TARGET_REG_CFG_MATH_Offset_ADDR32 = 1;

namespace ckernel {

TW_BELOW(t6_semaphore_post, "semaphores of the engine");
TW_BELOW(t6_semaphore_get, "semaphores of the engine");
TW_BELOW(t6_semaphore_init, "semaphores of the engine");
TW_BELOW(t6_semaphore_wait_on_zero, "semaphores of the engine");
TW_BELOW(t6_semaphore_wait_on_max, "semaphores of the engine");
TW_BELOW(semaphore_post, "semaphores of the engine");
TW_BELOW(semaphore_get, "semaphores of the engine");
TW_BELOW(cfg_reg_rmw_tensix, "registers of the engine");

namespace packer {

TW_LACKS_WORD(get_packer_dest_offset, "where the packer's half of Dst begins");

}  // namespace packer

// Every call of a processor is over when it returns, so that there is nothing to wait for.
ALWI void tensix_sync() {}

}  // namespace ckernel
