"""What operation_name is tested with; see SPECIFICATION.md."""

import host
import numpy as np
import ttnn

PARAMETERS = ["a", "b", "memory_config"]
SHAPE = (1, 2, 64, 96)
SHAPES = [SHAPE, SHAPE]
OUTPUT_SHAPE = SHAPE
UNITS = 12
"""Tiles of the output."""
BUFFER_PAGES = {0: 2, 1: 2, 16: 2}


def tensors(device, inputs):
    return tuple(host.tensor(device, values) for values in inputs)


def arguments(device):
    return tensors(device, [np.zeros(shape) for shape in SHAPES])


def attributes(tensors):
    from operation_name.operation import Attributes

    return Attributes(tensors[0].memory_config())


def expected(a, b):
    """The exact values, and how far from them the device may be: a bf16 value has eight bits, and
    the sum is rounded twice at most."""
    wanted = a + b
    return wanted, 2**-7 * np.abs(wanted) + 2**-9 * np.maximum(np.abs(a), np.abs(b))


def _with(place, **changes):
    """Arguments of which one is made in another way."""

    def build(device):
        options = {"device": device, "values": np.zeros(SHAPE), **changes}
        good = [host.tensor(device, np.zeros(SHAPE)) for _ in SHAPES]
        good[place] = host.tensor(**options)
        return good, {}

    return build


REFUSED = {
    "a must be on the device": _with(0, device=None),
    "a must be tiled": _with(0, layout=ttnn.ROW_MAJOR_LAYOUT),
    "a must be bf16": _with(0, dtype=ttnn.float32),
    "b must be on the device": _with(1, device=None),
    "b must be tiled": _with(1, layout=ttnn.ROW_MAJOR_LAYOUT),
    "b must be bf16": _with(1, dtype=ttnn.float32),
    "a and b must have the same shape": _with(1, values=np.zeros((1, 2, 64, 32))),
}
"""Arguments that are refused, by message."""
