"""Values on the host's side: to the device, back, and the inputs that tests use."""

from collections.abc import Iterator

import numpy as np
import ttnn

try:
    import torch
except ImportError:
    torch = None


def bfloat16(values):
    """The nearest values that bf16 has."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded & 0xFFFF0000).astype(np.uint32).view(np.float32)


def tensor(device, values, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16, **rest):
    """A tensor with these values; without a device it stays on the host."""
    values = np.ascontiguousarray(values, np.float32)
    source = values if torch is None else torch.from_numpy(values)
    return ttnn.from_torch(source, dtype=dtype, layout=layout, device=device, **rest)


def values(tensor) -> np.ndarray:
    """The values of a tensor."""
    result = ttnn.to_torch(tensor)
    if torch is not None and isinstance(result, torch.Tensor):
        result = result.float().numpy()
    return np.asarray(result, np.float64)


def families(*shapes) -> Iterator[tuple[str, list[np.ndarray]]]:
    """Inputs by name. Those of mean zero alone would hide sums that are lost."""
    uniform = np.random.default_rng(17)
    yield "uniform", [bfloat16(uniform.uniform(-1, 1, shape)) for shape in shapes]
    shifted = np.random.default_rng(18)
    yield "shifted mean", [bfloat16(shifted.uniform(-1, 1, shape) + 2) for shape in shapes]
    ramps = [np.linspace(-2, 1, int(np.prod(shape))).reshape(shape) for shape in shapes]
    yield "ramp", [bfloat16(ramp * (1 + place)) for place, ramp in enumerate(ramps)]
