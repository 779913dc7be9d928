// Which operand goes to which source register.

#pragma once

namespace ckernel {

enum class SrcOrder { Regular, Reverse };

}  // namespace ckernel
