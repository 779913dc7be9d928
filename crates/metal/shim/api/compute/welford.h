// Welford's running mean and variance: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

enum class WelfordInitMode : uint8_t { ClearStats, PreserveStats };

TW_LACKS(welford_init, "Welford's running mean and variance");
TW_LACKS(welford_reinit, "Welford's running mean and variance");
TW_LACKS(welford_clear, "Welford's running mean and variance");
TW_LACKS(welford_update, "Welford's running mean and variance");
TW_LACKS(welford_update_rows, "Welford's running mean and variance");
TW_LACKS(welford_save_state, "Welford's running mean and variance");
TW_LACKS(welford_restore_state, "Welford's running mean and variance");
TW_LACKS(welford_finalize_to_row, "Welford's running mean and variance");
TW_LACKS(welford_finalize_to_face, "Welford's running mean and variance");

}  // namespace ckernel
