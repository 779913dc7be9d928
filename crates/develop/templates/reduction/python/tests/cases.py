"""What operation_name is tested with; see SPECIFICATION.md."""

import host
import numpy as np
import ttnn

PARAMETERS = ["x", "memory_config"]
SHAPE = (1, 2, 64, 96)
SHAPES = [SHAPE]
OUTPUT_SHAPE = (1, 2, 64, 1)
UNITS = 4
"""Rows of tiles."""
BUFFER_PAGES = {0: 2, 1: 1, 16: 2}


def tensors(device, inputs):
    return tuple(host.tensor(device, values) for values in inputs)


def arguments(device):
    return tensors(device, [np.zeros(SHAPE)])


def attributes(tensors):
    from operation_name.operation import Attributes

    return Attributes(tensors[0].memory_config())


def expected(x):
    """The exact values, and how far from them the device may be: the output is rounded to the
    eight bits of bf16. The matrix unit rounds eight terms to 2^-10 of the largest of them; what
    each loses, in all phases of a product, is less than that."""
    wanted = x.sum(axis=-1, keepdims=True)
    lost = x.shape[-1] * 2**-10 * np.abs(x).max(axis=-1, keepdims=True)
    return wanted, 2**-8 * np.abs(wanted) + lost


def _with(**changes):
    """A tensor that is made in another way."""

    def build(device):
        return [host.tensor(**{"device": device, "values": np.zeros(SHAPE), **changes})], {}

    return build


REFUSED = {
    "x must be on the device": _with(device=None),
    "x must be tiled": _with(layout=ttnn.ROW_MAJOR_LAYOUT),
    "x must be bf16": _with(dtype=ttnn.float32),
    "x must have rank 2 or more": _with(values=np.zeros(64)),
    "the width of x must be a multiple of 32": _with(values=np.zeros((64, 33))),
    "the height of x must be a multiple of 32": _with(values=np.zeros((33, 64))),
}
"""Arguments that are refused, by message."""
