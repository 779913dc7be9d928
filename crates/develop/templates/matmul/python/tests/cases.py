"""What operation_name is tested with; see SPECIFICATION.md."""

import host
import numpy as np
import ttnn

PARAMETERS = ["a", "b", "memory_config"]
SHAPES = [(64, 96), (96, 128)]
OUTPUT_SHAPE = (64, 128)
UNITS = 8
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
    """The exact values, and how far from them the device may be: the output is rounded to the
    eight bits of bf16. The matrix unit rounds eight products to 2^-10 of the largest of them; what
    each loses, in all its phases, is less than that."""
    wanted = a @ b
    largest = (np.abs(a)[:, :, None] * np.abs(b)[None, :, :]).max(axis=1)
    return wanted, 2**-8 * np.abs(wanted) + a.shape[1] * 2**-10 * largest


def _with(place, **changes):
    """Arguments of which one is made in another way."""

    def build(device):
        good = list(arguments(device))
        options = {"device": device, "values": np.zeros(SHAPES[place]), **changes}
        good[place] = host.tensor(**options)
        return good, {}

    return build


REFUSED = {
    "a must be on the device": _with(0, device=None),
    "a must be tiled": _with(0, layout=ttnn.ROW_MAJOR_LAYOUT),
    "a must be bf16": _with(0, dtype=ttnn.float32),
    "a must have rank 2": _with(0, values=np.zeros((1, 64, 96))),
    "the dimensions of a must be multiples of 32": _with(0, values=np.zeros((33, 96))),
    "b must be on the device": _with(1, device=None),
    "b must be tiled": _with(1, layout=ttnn.ROW_MAJOR_LAYOUT),
    "b must be bf16": _with(1, dtype=ttnn.float32),
    "b must have rank 2": _with(1, values=np.zeros((1, 96, 128))),
    "the dimensions of b must be multiples of 32": _with(1, values=np.zeros((96, 100))),
    "a must be as wide as b is high": _with(1, values=np.zeros((64, 128))),
}
"""Arguments that are refused, by message."""
