"""Programs whose outputs a reference judges."""

import numpy as np
import operations
import pytest
import tilewright
from tilewright import Reference, ttnn


@pytest.fixture
def program(device):
    """exp of two tiles: its tensors and its program."""
    values = np.random.default_rng(3).normal(size=(32, 64)).astype(np.float32)
    x = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    return operations.exponential(x)


def calling(tensors, call, **inputs):
    x, y = tensors
    return Reference("sfpu-unary", inputs or {"first": x}, {"y": y}, {"call": call})


def test_a_reference_judges(program):
    tensors, descriptor = program
    assert tilewright.run(tensors, descriptor).verdict == "unjudged"
    result = tilewright.run(tensors, descriptor, reference=calling(tensors, "exp_tile"))
    assert result.verdict == "pass", result.report()
    assert result.judgements["output"].judged == 2048
    assert result.judgements["output"].max_abs_error > 0


def test_another_function_fails(program):
    tensors, descriptor = program
    other = calling(tensors, "exp_tile; add_unary_tile(0.125)")
    results = tilewright.check(tensors, descriptor, seeds=[0, 1], reference=other)
    assert [result.verdict for result in results] == ["fail", "fail"]
    assert results[0].findings[0].id == "beyond-bound"


def test_what_a_reference_does_not_have_is_refused(program):
    tensors, descriptor = program
    with pytest.raises(tilewright.ProgramError, match="did you mean `leaky_relu_tile`"):
        wrong = calling(tensors, "leaky_reul_tile(1)")
        tilewright.run(tensors, descriptor, reference=wrong)
    with pytest.raises(tilewright.ProgramError, match="no input `x`; known: first"):
        wrong = calling(tensors, "exp_tile", x=tensors[0])
        tilewright.run(tensors, descriptor, reference=wrong)
    with pytest.raises(ValueError, match="`first` is no tensor of the program's"):
        elsewhere = ttnn.open_device(device_id=0)
        other = ttnn.to_device(ttnn.from_device(tensors[0]), elsewhere)
        wrong = calling(tensors, "exp_tile", first=other)
        tilewright.run(tensors, descriptor, reference=wrong)
