"""Stage 7: the kernels compute the right values."""

import cases
import host
import numpy as np
import pytest

INPUTS = dict(host.families(*cases.SHAPES))


@pytest.mark.parametrize("family", INPUTS)
def test_values(device, family):
    from layernorm_fused_rm import layernorm_fused_rm

    inputs = INPUTS[family]
    output = host.values(layernorm_fused_rm(*cases.tensors(device, inputs)))
    wanted, allowed = cases.expected(*[one.astype(np.float64) for one in inputs])
    error = np.abs(output.reshape(wanted.shape) - wanted)
    worst = np.unravel_index(np.argmax(error - allowed), error.shape)
    assert (error <= allowed).all(), (
        f"at {tuple(int(place) for place in worst)}: {output.reshape(wanted.shape)[worst]} in "
        f"place of {wanted[worst]}, {allowed[worst]:.3g} off is allowed"
    )
