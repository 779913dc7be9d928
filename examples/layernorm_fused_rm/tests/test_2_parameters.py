"""Stage 2: bad parameters are refused, each with its own message."""

import cases
import pytest


@pytest.mark.parametrize("message", cases.REFUSED)
def test_bad_parameters_are_refused(device, message):
    from layernorm_fused_rm import layernorm_fused_rm

    arguments, options = cases.REFUSED[message](device)
    with pytest.raises(ValueError, match=message):
        layernorm_fused_rm(*arguments, **options)


def test_good_parameters_are_accepted(device):
    from layernorm_fused_rm import operation

    operation.validate(*cases.arguments(device))
