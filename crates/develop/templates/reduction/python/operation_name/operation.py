"""operation_name: the sums of the rows of a tensor."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ttnn

from . import program

KERNELS = Path(__file__).resolve().parent / "kernels"


@dataclasses.dataclass(frozen=True)
class Attributes:
    """What the operation is asked for, besides its tensors."""

    memory_config: Any


def operation_name(x: Any, *, memory_config: Any = None) -> Any:
    """The sums of `x` along its last dimension, which becomes 1.

    `x` is a bf16 tensor of rank 2 or more, tiled and interleaved, on the device, whose last two
    dimensions are multiples of 32. The output is in `memory_config`, or that of `x`.
    """
    validate(x)
    return launch((x,), Attributes(memory_config or x.memory_config()))


def validate(x: Any) -> None:
    """Refuses what the kernels cannot do."""
    _require(_is_on_device(x), "x must be on the device")
    _require(x.layout == ttnn.TILE_LAYOUT, "x must be tiled")
    _require(x.dtype == ttnn.bfloat16, "x must be bf16")
    _require(not x.is_sharded(), "x must be interleaved")
    _require(len(x.shape) >= 2, "x must have rank 2 or more")
    _require(x.shape[-1] % 32 == 0, "the width of x must be a multiple of 32")
    _require(x.shape[-2] % 32 == 0, "the height of x must be a multiple of 32")


def _is_on_device(tensor: Any) -> bool:
    return tensor.storage_type() == ttnn.DEVICE_STORAGE_TYPE and tensor.is_allocated()


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(f"operation_name: {message}")


def allocate_output(tensors: Sequence[Any], attributes: Attributes) -> Any:
    """The output, on the device of the inputs."""
    x = tensors[0]
    shape = ttnn.Shape([*list(x.shape)[:-1], 1])
    return ttnn.allocate_tensor_on_device(
        shape, x.dtype, x.layout, x.device(), attributes.memory_config
    )


def launch(tensors: Sequence[Any], attributes: Attributes, kernels: Path = KERNELS) -> Any:
    """Runs the program; `kernels` is the folder with its kernels."""
    output = allocate_output(tensors, attributes)
    descriptor = program.create(tensors, output, attributes, kernels)
    return ttnn.generic_op([*tensors, output], descriptor)
