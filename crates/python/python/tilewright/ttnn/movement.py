"""Operations that move values and change none; the host does them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .memory import DRAM_MEMORY_CONFIG, MemoryConfig
from .tensor import Tensor, to_memory_config
from .types import DataType, Shape


def sharded_to_interleaved(
    input_tensor: Tensor,
    memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
    output_dtype: DataType | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy whose pages are interleaved."""
    return to_memory_config(input_tensor, memory_config, output_dtype)


def interleaved_to_sharded(
    input_tensor: Tensor, sharded_memory_config: MemoryConfig, **ignored: Any
) -> Tensor:
    """A copy in shards."""
    return to_memory_config(input_tensor, sharded_memory_config)


def clone(
    input_tensor: Tensor,
    *,
    dtype: DataType | None = None,
    memory_config: MemoryConfig | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy in a place of its own."""
    return to_memory_config(input_tensor, memory_config or input_tensor.memory_config(), dtype)


def reshape(input_tensor: Tensor, shape: Shape | Sequence[int], **ignored: Any) -> Tensor:
    """A copy with other sizes."""
    return input_tensor.reshape(tuple(shape))


def unsqueeze_to_4D(tensor: Tensor) -> Tensor:
    """A copy with leading ones, so that it has four sizes."""
    return tensor.reshape(tuple(tensor.shape.to_rank(4)))
