// How the compute kernels of an operation are configured.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include <tt-metalium/base_types.hpp>
#include <tt-metalium/constants.hpp>
#include <ttnn/operations/compute_throttle_utils.hpp>

namespace ttnn {

struct ComputeKernelConfig {
    tt::tt_metal::MathFidelity math_fidelity = tt::tt_metal::MathFidelity::LoFi;
    bool math_approx_mode = true;
    bool fp32_dest_acc_en = false;
    bool packer_l1_acc = false;
    bool dst_full_sync_en = false;
    operations::compute_throttle_utils::ThrottleLevel throttle_level =
        operations::compute_throttle_utils::ThrottleLevel::NO_THROTTLE;
};

using DeviceComputeKernelConfig = ComputeKernelConfig;
using WormholeComputeKernelConfig = ComputeKernelConfig;
using BlackholeComputeKernelConfig = ComputeKernelConfig;

// What was asked for, or else the defaults of the operation.
inline ComputeKernelConfig init_device_compute_kernel_config(
    tt::ARCH, const std::optional<const ComputeKernelConfig>& asked,
    tt::tt_metal::MathFidelity fidelity = tt::tt_metal::MathFidelity::LoFi,
    bool approx_mode = true, bool fp32_acc = false, bool l1_acc = false, bool full_sync = false,
    operations::compute_throttle_utils::ThrottleLevel throttle =
        operations::compute_throttle_utils::ThrottleLevel::NO_THROTTLE) {
    if (asked) { return *asked; }
    return {fidelity, approx_mode, fp32_acc, l1_acc, full_sync, throttle};
}

inline bool get_fp32_dest_acc_en(const std::optional<ComputeKernelConfig>& config) {
    return config && config->fp32_dest_acc_en;
}

inline bool get_dst_full_sync_en(const std::optional<ComputeKernelConfig>& config) {
    return config && config->dst_full_sync_en;
}

inline tt::tt_metal::MathFidelity get_math_fidelity(
    const std::optional<ComputeKernelConfig>& config) {
    return config ? config->math_fidelity : tt::tt_metal::MathFidelity::Invalid;
}

inline operations::compute_throttle_utils::ThrottleLevel get_throttle_level(
    const std::optional<ComputeKernelConfig>& config) {
    return config ? config->throttle_level
                  : operations::compute_throttle_utils::ThrottleLevel::NO_THROTTLE;
}

// Fidelity, approximation, 32-bit Dst, accumulation in L1, Dst in one piece.
inline std::tuple<tt::tt_metal::MathFidelity, bool, bool, bool, bool>
get_compute_kernel_config_args(tt::ARCH, const ComputeKernelConfig& config) {
    return {config.math_fidelity, config.math_approx_mode, config.fp32_dest_acc_en,
            config.packer_l1_acc, config.dst_full_sync_en};
}

// Tiles that fit Dst: sixteen of 16 bits, half as many of 32, half of those if Dst has two halves.
inline uint32_t get_dest_reg_count(
    const ComputeKernelConfig& config,
    std::optional<std::array<uint32_t, 2>> tile_shape = std::nullopt) {
    auto shape = tile_shape.value_or(tt::constants::TILE_SHAPE);
    uint32_t count = 16 * tt::constants::TILE_HW / (shape[0] * shape[1]);
    if (!config.dst_full_sync_en) { count /= 2; }
    return config.fp32_dest_acc_en ? count / 2 : count;
}

}  // namespace ttnn
