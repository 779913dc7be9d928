"""Kernels in a checkout of tt-metal, with vector functions of its own beside ours."""

from __future__ import annotations

import numpy as np
import operations
import pytest

import tilewright
from tilewright import _sources, ttnn

FUNCTIONS = "tt_metal/hw/ckernels/wormhole_b0/metal/llk_api/llk_sfpu"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A checkout without its submodules: the functions' own headers are not there."""
    (tmp_path / FUNCTIONS).mkdir(parents=True)
    (tmp_path / "tt_metal" / "hw" / "inc").mkdir(parents=True)
    monkeypatch.setattr(_sources, "_roots", [tmp_path])
    return tmp_path


@pytest.fixture
def x(device):
    values = np.zeros((32, 32), np.float32)
    return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def test_functions_that_a_checkout_lacks_are_not_needed(tree, x):
    (tree / FUNCTIONS / "ckernel_sfpu_exp.h").write_text('#include "sfpu/not_checked_out.h"\n')
    y = ttnn.generic_op(*operations.exponential(x))
    assert (y.to_numpy() == 1).all()


def test_functions_that_a_kernel_calls_are_found(tree, x):
    text = "#pragma once\nnamespace ckernel::sfpu { inline int tree_value() { return 1; } }\n"
    (tree / FUNCTIONS / "ckernel_sfpu_exp.h").write_text(text)
    io_tensors, program = operations.exponential(x)
    kernel = program.kernels[1]
    source = (operations.KERNELS / "exponential.cpp").read_text()
    source = source.replace("exp_tile(0);", "exp_tile(0); MATH((void)sfpu::tree_value());")
    kernel.source_type = ttnn.KernelDescriptor.SourceType.SOURCE_CODE
    kernel.kernel_source = source
    assert (ttnn.generic_op(io_tensors, program).to_numpy() == 1).all()
    kernel.kernel_source = source.replace("tree_value", "no_value")
    with pytest.raises(tilewright.ProgramError, match="no_value"):
        ttnn.generic_op(io_tensors, program)


OWN = """
def softmax(x):
    return "the tree's own"
"""


def test_a_tree_s_operations_go_before_ours(pytester):
    pytester.makefile(".py", **{"ttnn/ttnn/operations/softmax/__init__": OWN})
    pytester.makefile(".py", **{"ttnn/ttnn/operations/exp/__init__": "exp = 1\n"})
    pytester.makefile(".py", **{"ttnn/ttnn/helpers": "import ttnn\nSIZE = ttnn.TILE_SIZE\n"})
    exports = "from ttnn.operations.softmax import (\n    softmax,\n    softmax as own_softmax,\n)\n"
    pytester.makefile(".py", **{"ttnn/ttnn/__init__": exports})
    pytester.makepyfile(
        """
        import ttnn
        import ttnn.helpers


        def test_names():
            assert ttnn.softmax(1) == ttnn.own_softmax(1) == "the tree's own"
            assert ttnn.operations.softmax.softmax is ttnn.softmax
            assert callable(ttnn.exp)
            assert ttnn.helpers.SIZE == 32
        """
    )
    pytester.runpytest_subprocess("--tilewright").assert_outcomes(passed=1)
