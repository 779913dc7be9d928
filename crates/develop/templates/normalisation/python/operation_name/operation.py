"""operation_name: LayerNorm of row-major tensors, sticks in and sticks out."""

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
    epsilon: float = 1e-5


def operation_name(
    input: Any, gamma: Any, beta: Any, epsilon: float = 1e-5, memory_config: Any = None
) -> Any:
    """LayerNorm of `input` over its last dimension: (x - mean) / std times `gamma` plus `beta`.

    All are bf16 tensors, row-major and interleaved, on the device. Height and width of `input` are
    multiples of 32; `gamma` and `beta` have its width. `epsilon` is added to the variance. The
    output is in `memory_config`, or that of `input`.
    """
    validate(input, gamma, beta, epsilon)
    attributes = Attributes(memory_config or input.memory_config(), epsilon)
    return launch((input, gamma, beta), attributes)


def validate(input: Any, gamma: Any, beta: Any, epsilon: float = 1e-5) -> None:
    """Refuses what the kernels cannot do."""
    for name, tensor in (("input", input), ("gamma", gamma), ("beta", beta)):
        _require(_is_on_device(tensor), f"{name} must be on the device")
        _require(tensor.layout == ttnn.ROW_MAJOR_LAYOUT, f"{name} must be row-major")
        _require(not tensor.is_sharded(), f"{name} must be interleaved")
        _require(tensor.dtype == ttnn.bfloat16, f"{name} must be bf16")
    _require(len(input.shape) >= 2, "input must have rank 2 or more")
    _require(input.shape[-1] % 32 == 0, "the width of input must be a multiple of 32")
    _require(input.shape[-2] % 32 == 0, "the height of input must be a multiple of 32")
    for name, tensor in (("gamma", gamma), ("beta", beta)):
        fits = tensor.shape[-1] == input.shape[-1] == tensor.volume()
        _require(fits, f"{name} must have as many values as input is wide")
    _require(epsilon > 0, "epsilon must be positive")


def _is_on_device(tensor: Any) -> bool:
    return tensor.storage_type() == ttnn.DEVICE_STORAGE_TYPE and tensor.is_allocated()


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(f"operation_name: {message}")


def allocate_output(tensors: Sequence[Any], attributes: Attributes) -> Any:
    """The output, on the device of the inputs."""
    x = tensors[0]
    return ttnn.allocate_tensor_on_device(
        ttnn.Shape(list(x.shape)), x.dtype, x.layout, x.device(), attributes.memory_config
    )


def launch(tensors: Sequence[Any], attributes: Attributes, kernels: Path = KERNELS) -> Any:
    """Runs the program; `kernels` is the folder with its kernels."""
    output = allocate_output(tensors, attributes)
    descriptor = program.create(tensors, output, attributes, kernels)
    return ttnn.generic_op([*tensors, output], descriptor)
