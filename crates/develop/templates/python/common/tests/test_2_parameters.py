"""Stage 2: bad parameters are refused, each with its own message."""

import cases
import pytest


@pytest.mark.parametrize("message", cases.REFUSED)
def test_bad_parameters_are_refused(device, message):
    from operation_name import operation_name

    arguments, options = cases.REFUSED[message](device)
    with pytest.raises(ValueError, match=message):
        operation_name(*arguments, **options)


def test_good_parameters_are_accepted(device):
    from operation_name import operation

    operation.validate(*cases.arguments(device))
