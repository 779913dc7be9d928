// What a program's environment asks of matrix products.

#include <cstdlib>
#include <string>

#include <tt-logger/tt-logger.hpp>
#include <ttnn/operations/compute_throttle_utils.hpp>

namespace ttnn::operations::compute_throttle_utils {

namespace {

// Whether a product on so many cores draws more than tt-metal wants at once.
bool is_heavy(tt::ARCH arch, int num_cores) {
    int most = arch == tt::ARCH::WORMHOLE_B0 ? 48 : 0;
    return num_cores > most;
}

}  // namespace

void add_stagger_defines_if_needed(tt::ARCH arch, int num_cores, Defines& defines) {
    const char* type = std::getenv("TT_MM_STAGGER_TYPE");
    if (type == nullptr || !is_heavy(arch, num_cores)) { return; }
    const char* value = std::getenv("TT_MM_STAGGER_VALUE");
    defines["MM_STAGGER_TYPE"] = type;
    defines["MM_STAGGER_VALUE"] = value ? value : "0";
}

void add_dram_skip_defines_if_needed(tt::ARCH, Defines& defines) {
    if (std::getenv("TT_MM_SKIP_IN1_DRAM")) { defines["SKIP_IN1_DRAM"] = "1"; }
}

bool should_sync_after_in1_dram(tt::ARCH) {
    return std::getenv("TT_MM_SYNC_AFTER_IN1_DRAM") != nullptr;
}

void throttle_mm_perf(tt::ARCH arch, int num_cores, Defines& defines, ThrottleLevel level) {
    if (!is_heavy(arch, num_cores)) { return; }
    const char* asked = std::getenv("TT_MM_THROTTLE_PERF");
    long chosen = asked ? std::strtol(asked, nullptr, 10) : static_cast<long>(level);
    if (chosen == 0) { return; }
    if (chosen < 0 || chosen > 5) {
        log_error(tt::LogOp, "throttle level {} is not one of 1 to 5, and is ignored", chosen);
        chosen = 0;
    }
    defines["MM_THROTTLE"] = std::to_string(chosen);
}

}  // namespace ttnn::operations::compute_throttle_utils
