"""What operation_name is tested with; see SPECIFICATION.md."""

import host
import numpy as np
import ttnn

PARAMETERS = ["input", "gamma", "beta", "epsilon", "memory_config"]
SHAPE = (2, 64, 96)
SHAPES = [SHAPE, (96,), (96,)]
OUTPUT_SHAPE = SHAPE
UNITS = 4
"""Tile-rows of 32 sticks."""
BUFFER_PAGES = {
    **{0: 6, 1: 3, 2: 1, 4: 3, 5: 3, 6: 3, 7: 3, 16: 6},
    **{24: 3, 25: 1, 26: 3, 27: 1, 28: 3, 29: 3},
}
EPSILON = 1e-5


def _tensor(device, values, layout=ttnn.ROW_MAJOR_LAYOUT, **rest):
    return host.tensor(device, values, layout, **rest)


def tensors(device, inputs):
    return tuple(_tensor(device, values) for values in inputs)


def arguments(device):
    return tensors(device, [np.zeros(shape) for shape in SHAPES])


def attributes(tensors):
    from operation_name.operation import Attributes

    return Attributes(tensors[0].memory_config())


def expected(x, gamma, beta):
    """The exact values, and how far from them the device may be. The matrix unit takes eleven bits
    of an fp32 value: what is lost of the mean counts in units of std, the rest in units of y."""
    mean = x.mean(axis=-1, keepdims=True)
    std = np.sqrt(x.var(axis=-1, keepdims=True) + EPSILON)
    scaled = (x - mean) / std * gamma
    of_mean = 2**-9 * np.abs(mean) / std * np.abs(gamma)
    return scaled + beta, 2**-7 * (np.abs(scaled) + np.abs(beta)) + of_mean


def _with(place, **changes):
    """Arguments of which one is made in another way."""

    def build(device):
        good = list(arguments(device))
        options = {"device": device, "values": np.zeros(SHAPES[place]), **changes}
        good[place] = _tensor(**options)
        return good, {}

    return build


REFUSED = {
    "input must be on the device": _with(0, device=None),
    "input must be row-major": _with(0, layout=ttnn.TILE_LAYOUT),
    "input must be bf16": _with(0, dtype=ttnn.float32),
    "input must have rank 2 or more": _with(0, values=np.zeros(96)),
    "the width of input must be a multiple of 32": _with(0, values=np.zeros((64, 100))),
    "the height of input must be a multiple of 32": _with(0, values=np.zeros((33, 96))),
    "gamma must be on the device": _with(1, device=None),
    "gamma must be row-major": _with(1, layout=ttnn.TILE_LAYOUT),
    "gamma must be bf16": _with(1, dtype=ttnn.float32),
    "gamma must have as many values": _with(1, values=np.zeros(64)),
    "beta must be on the device": _with(2, device=None),
    "beta must be row-major": _with(2, layout=ttnn.TILE_LAYOUT),
    "beta must be bf16": _with(2, dtype=ttnn.float32),
    "beta must have as many values": _with(2, values=np.zeros(128)),
    "epsilon must be positive": lambda device: (arguments(device), {"epsilon": 0.0}),
}
"""Arguments that are refused, by message."""
