"""What kernels of helper libraries call below the compute API: tt-llk's names and its state."""

from __future__ import annotations

import numpy as np
import operations
import pytest
from ml_dtypes import bfloat16
from tilewright import ttnn

FRAME = """
#include "api/compute/common.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/matmul.h"
#include "api/compute/tile_move_copy.h"
#include "experimental/circular_buffer.h"
%s
void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    mm_init(0, 0, 16);
    state_configure(0, 0, __builtin_LINE());
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        %s
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
"""
PRODUCT = "matmul_tiles(0, 0, 0, 0, 0);"
LLK_PRODUCT = """
        UNPACK((llk_unpack_AB_matmul_init(0, 0)));
        MATH((llk_math_matmul_init<ckernel::MathFidelity::HiFi4, MM_THROTTLE>(0, 0)));
        UNPACK((llk_unpack_AB_matmul(0, 0, 0, 0)));
        MATH((llk_math_matmul<ckernel::MathFidelity::HiFi4, MM_THROTTLE>(0)));
"""
CONSTANT = """
#ifdef TRISC_MATH
#include "sfpi.h"
inline void constant() {
    for (int row = 0; row < 8; ++row) {
        sfpi::dst_reg[0] = sfpi::vConstFloatPrgm1;
        sfpi::dst_reg++;
    }
}
#endif
"""


@pytest.fixture
def x(device):
    values = np.random.default_rng(5).uniform(1, 2, (32, 32)).astype(bfloat16)
    return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def run(x, body, before="", fidelity=ttnn.MathFidelity.HiFi4):
    io_tensors, program = operations.exponential(x)
    kernel = program.kernels[1]
    kernel.source_type = ttnn.KernelDescriptor.SourceType.SOURCE_CODE
    kernel.kernel_source = FRAME % (before, body)
    kernel.config = ttnn.ComputeConfigDescriptor(math_fidelity=fidelity)
    return ttnn.generic_op(io_tensors, program).to_numpy()


def test_a_product_has_its_own_fidelity(x):
    low, high = ttnn.MathFidelity.LoFi, ttnn.MathFidelity.HiFi4
    exact = run(x, PRODUCT, fidelity=high)
    assert (run(x, LLK_PRODUCT, fidelity=high) == exact).all()
    assert (run(x, LLK_PRODUCT, fidelity=low) == exact).all()
    assert (run(x, PRODUCT, fidelity=low) != exact).any()


def test_an_init_leaves_its_constants_for_vector_code(x):
    call = "copy_tile_init(0); copy_tile(0, 0, 0); rsqrt_tile_init();"
    driver = "MATH((_llk_math_eltwise_unary_sfpu_params_(constant, 0, VectorMode::RC)));"
    values = run(x, call + driver, CONSTANT)
    assert (values == np.float32(2.2825186).astype(bfloat16)).all()


def test_modes_of_vector_functions_may_be_numbers(x):
    call = "copy_tile_init(0); copy_tile(0, 0, 0); exp_tile_init();"
    named = run(x, call + "exp_tile(0);")
    assert (run(x, call + "exp_tile(0, (int)VectorMode::RC);") == named).all()


def test_settings_of_compute_kernels_begin_without_a_fidelity():
    """As in ttnn, so that operations choose one; a filled-in configuration has ttnn's default."""
    assert ttnn.WormholeComputeKernelConfig().math_fidelity == ttnn.MathFidelity.Invalid
    filled = ttnn.init_device_compute_kernel_config(ttnn.Arch.WORMHOLE_B0)
    assert filled.math_fidelity == ttnn.MathFidelity.LoFi
