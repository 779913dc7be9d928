// Fidelities and modes of the compute engine.
#pragma once

#include <cstdint>
#include <ostream>

namespace tt::tt_metal {

enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4, Invalid = 0xff };

enum class UnpackToDestMode : uint8_t { UnpackToDestFp32, Default };

const char* name_of(MathFidelity fidelity);

inline std::ostream& operator<<(std::ostream& to, const MathFidelity& fidelity) {
    return to << name_of(fidelity);
}

}  // namespace tt::tt_metal

using tt::tt_metal::MathFidelity;
using tt::tt_metal::UnpackToDestMode;
