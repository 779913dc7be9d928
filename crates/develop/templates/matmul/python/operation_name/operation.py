"""operation_name: the product of two matrices."""

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


def operation_name(a: Any, b: Any, *, memory_config: Any = None) -> Any:
    """The matrix product of `a` and `b`.

    Both are bf16 matrices, tiled and interleaved, on the device, with dimensions that are
    multiples of 32. The output is in `memory_config`, or that of `a`.
    """
    validate(a, b)
    return launch((a, b), Attributes(memory_config or a.memory_config()))


def validate(a: Any, b: Any) -> None:
    """Refuses what the kernels cannot do."""
    for name, tensor in (("a", a), ("b", b)):
        _require(_is_on_device(tensor), f"{name} must be on the device")
        _require(tensor.layout == ttnn.TILE_LAYOUT, f"{name} must be tiled")
        _require(tensor.dtype == ttnn.bfloat16, f"{name} must be bf16")
        _require(not tensor.is_sharded(), f"{name} must be interleaved")
        _require(len(tensor.shape) == 2, f"{name} must have rank 2")
        aligned = all(size % 32 == 0 for size in tensor.shape)
        _require(aligned, f"the dimensions of {name} must be multiples of 32")
    _require(a.shape[1] == b.shape[0], "a must be as wide as b is high")


def _is_on_device(tensor: Any) -> bool:
    return tensor.storage_type() == ttnn.DEVICE_STORAGE_TYPE and tensor.is_allocated()


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(f"operation_name: {message}")


def allocate_output(tensors: Sequence[Any], attributes: Attributes) -> Any:
    """The output, on the device of the inputs."""
    a, b = tensors
    shape = ttnn.Shape([a.shape[0], b.shape[1]])
    return ttnn.allocate_tensor_on_device(
        shape, a.dtype, a.layout, a.device(), attributes.memory_config
    )


def launch(tensors: Sequence[Any], attributes: Attributes, kernels: Path = KERNELS) -> Any:
    """Runs the program; `kernels` is the folder with its kernels."""
    output = allocate_output(tensors, attributes)
    descriptor = program.create(tensors, output, attributes, kernels)
    return ttnn.generic_op([*tensors, output], descriptor)
