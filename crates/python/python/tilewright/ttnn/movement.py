"""Operations that move values and change none; the host does them."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _layout
from .memory import DRAM_MEMORY_CONFIG, MemoryConfig
from .tensor import (
    Tensor,
    TensorSpec,
    allocate_tensor_on_device,
    from_torch,
    to_device,
    to_dtype,
    to_layout,
    to_memory_config,
)
from .types import DataType, Layout, Shape

if TYPE_CHECKING:
    from .device import Device


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


def reshape(
    input_tensor: Tensor,
    shape: Shape | Sequence[int],
    padded_shape: Shape | Sequence[int] | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy with other sizes; with the sizes that the tensor has with its padding, the same
    memory under other sizes."""
    if padded_shape is None:
        return input_tensor.reshape(tuple(shape))
    old = input_tensor.spec
    is_same = tuple(padded_shape) == tuple(old.padded_shape)
    fits = len(shape) == len(padded_shape) and all(map(operator.le, shape, padded_shape))
    if not is_same or not fits:
        raise NotImplementedError(
            f"tilewright serves ttnn.reshape to {list(shape)} with padding {list(padded_shape)} "
            f"only for tensors whose sizes with their padding are these"
        )
    spec = TensorSpec(shape, old.dtype, old.layout, old.memory_config, old.tile)
    spec = spec._with_padding(padded_shape)
    return Tensor(spec, host=input_tensor._host, buffer=input_tensor._buffer)


def pad(
    input_tensor: Tensor,
    padding: Sequence[Sequence[int]] | Sequence[int],
    value: float = 0.0,
    *,
    memory_config: MemoryConfig | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy with `value` around it; `padding` has a pair for each of the last dimensions, or is
    the shape to pad to."""
    values, pairs = input_tensor.to_numpy(), list(padding)
    if pairs and isinstance(pairs[0], int):
        pairs = [(0, int(to) - size) for to, size in zip(pairs, values.shape, strict=True)]
    pairs = [(0, 0)] * (values.ndim - len(pairs)) + [(int(a), int(b)) for a, b in pairs]
    if any(count < 0 for pair in pairs for count in pair):
        raise RuntimeError(f"ttnn.pad: padding {padding} is negative for {input_tensor.shape}")
    return _placed(input_tensor, np.pad(values, pairs, constant_values=value), memory_config)


def fill_implicit_tile_padding(
    input_tensor: Tensor, fill_value: float, *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """A copy whose tiles hold `fill_value` beyond the tensor's shape."""
    spec, values = input_tensor.spec, input_tensor.to_numpy()
    wanted = TensorSpec(
        spec.shape, spec.dtype, spec.layout, memory_config or spec.memory_config
    )
    filled = _layout.padded(values, spec.padded_shape, fill_value)
    copy = allocate_tensor_on_device(wanted, _device_of(input_tensor))
    copy._live_buffer().write(_layout.encode(filled, spec.dtype, spec.layout))
    return copy


def slice(
    input_tensor: Tensor,
    starts: Sequence[int],
    ends: Sequence[int],
    steps: Sequence[int] | None = None,
    *,
    memory_config: MemoryConfig | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy of a part."""
    steps = steps or [1] * len(starts)
    parts = tuple(map(builtins.slice, starts, ends, steps))
    return _placed(input_tensor, input_tensor.to_numpy()[parts], memory_config)


def repeat(
    input_tensor: Tensor,
    repetition_vector: Sequence[int],
    *,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """A copy that is repeated along each dimension."""
    values = np.tile(input_tensor.to_numpy(), tuple(repetition_vector))
    return _placed(input_tensor, values, memory_config)


def concat(
    tensors: Sequence[Tensor], dim: int = 0, *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """Tensors one after the other."""
    values = np.concatenate([one.to_numpy() for one in tensors], axis=dim)
    return _placed(tensors[0], values, memory_config)


def permute(
    input_tensor: Tensor,
    dims: Sequence[int],
    *,
    memory_config: MemoryConfig | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy with its dimensions in another order."""
    return _placed(input_tensor, input_tensor.to_numpy().transpose(tuple(dims)), memory_config)


def transpose(
    input_tensor: Tensor,
    dim1: int,
    dim2: int,
    *,
    memory_config: MemoryConfig | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy with two dimensions exchanged."""
    return _placed(input_tensor, input_tensor.to_numpy().swapaxes(dim1, dim2), memory_config)


def squeeze(tensor: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """A copy without dimensions of size 1."""
    axes = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    sizes, rank = tensor.shape, len(tensor.shape)
    wanted = range(rank) if axes is None else [axis % rank for axis in axes]
    gone = {axis for axis in wanted if sizes[axis] == 1}
    return tensor.reshape(tuple(size for axis, size in enumerate(sizes) if axis not in gone))


def unsqueeze(tensor: Tensor, dim: int) -> Tensor:
    """A copy with one more dimension of size 1."""
    sizes = list(tensor.shape)
    sizes.insert(dim if dim >= 0 else dim + len(sizes) + 1, 1)
    return tensor.reshape(tuple(sizes))


def typecast(
    input_tensor: Tensor, dtype: DataType, *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """A copy in another data type. Rounds to the nearest, ties to even, as the host does."""
    copy = to_dtype(input_tensor, dtype)
    device, config = input_tensor.device(), memory_config or input_tensor.memory_config()
    return copy if device is None else to_device(copy, device, memory_config=config)


def tilize(
    input_tensor: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy in tiles."""
    return to_layout(input_tensor, Layout.TILE, dtype, memory_config)


def untilize(
    input_tensor: Tensor, *, memory_config: MemoryConfig | None = None, **ignored: Any
) -> Tensor:
    """A copy in rows."""
    return to_layout(input_tensor, Layout.ROW_MAJOR, None, memory_config)


def copy(input_a: Tensor, input_b: Tensor) -> Tensor:
    """Copies the values of one tensor into another, and returns that."""
    if tuple(input_a.shape) != tuple(input_b.shape):
        raise RuntimeError(f"ttnn.copy: shapes {input_a.shape} and {input_b.shape} differ")
    spec, buffer = input_b.spec, input_b._live_buffer()
    values = _layout.to_elements(input_a.to_numpy(), spec.dtype)
    buffer.write(_layout.encode(values, spec.dtype, spec.layout))
    return input_b


def full(
    shape: Shape | Sequence[int],
    fill_value: float,
    *,
    dtype: DataType = DataType.BFLOAT16,
    layout: Layout = Layout.TILE,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
    **ignored: Any,
) -> Tensor:
    """A tensor that holds one value."""
    values = np.full(tuple(shape), fill_value, _layout.NUMPY_TYPE[dtype])
    return from_torch(
        values, dtype=dtype, layout=layout, device=device, memory_config=memory_config
    )


def zeros(shape: Shape | Sequence[int], **rest: Any) -> Tensor:
    """A tensor of zeros."""
    return full(shape, 0, **rest)


def ones(shape: Shape | Sequence[int], **rest: Any) -> Tensor:
    """A tensor of ones."""
    return full(shape, 1, **rest)


def zeros_like(tensor: Tensor, **rest: Any) -> Tensor:
    """Zeros with another tensor's shape, type, layout and place."""
    return _placed(tensor, np.zeros_like(tensor.to_numpy()), rest.get("memory_config"))


def ones_like(tensor: Tensor, **rest: Any) -> Tensor:
    """Ones with another tensor's shape, type, layout and place."""
    return _placed(tensor, np.ones_like(tensor.to_numpy()), rest.get("memory_config"))


def _device_of(tensor: Tensor) -> Device:
    device = tensor.device()
    if device is None:
        raise RuntimeError("the tensor must be on a device")
    return device


def _placed(like: Tensor, values: np.ndarray, config: MemoryConfig | None) -> Tensor:
    """Values with a tensor's type, layout and device."""
    return from_torch(
        np.ascontiguousarray(values),
        dtype=like.dtype,
        layout=like.layout,
        device=like.device(),
        memory_config=config or like.memory_config(),
    )


def unsqueeze_to_4D(tensor: Tensor) -> Tensor:
    """A copy with leading ones, so that it has four sizes."""
    return tensor.reshape(tuple(tensor.shape.to_rank(4)))
