// Groups of cores to which programs are addressed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/hal_types.hpp>

namespace tt::tt_metal {

using SubDeviceId = uint32_t;
using SubDeviceManagerId = uint32_t;

class SubDevice {
public:
    SubDevice(const std::array<CoreRangeSet, 1>& cores) : cores_(cores[0]) {}
    SubDevice(ttsl::Span<const CoreRangeSet> cores) : cores_(cores[0]) {}

    const CoreRangeSet& cores(HalProgrammableCoreType) const { return cores_; }
    bool has_core_type(HalProgrammableCoreType type) const {
        return type == HalProgrammableCoreType::TENSIX;
    }

private:
    CoreRangeSet cores_;
};

}  // namespace tt::tt_metal
