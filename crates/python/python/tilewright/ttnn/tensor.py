"""Tensors on the host and on the device."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arrays, _layout
from .memory import (
    DRAM_MEMORY_CONFIG,
    BufferType,
    MemoryConfig,
    NdShardSpec,
    ShardSpec,
    TensorMemoryLayout,
)
from .types import DataType, Layout, Shape, StorageType, Tile, element_size

if TYPE_CHECKING:
    from .device import Buffer, Device


class TensorSpec:
    """Everything about a tensor but its values and its place."""

    def __init__(
        self,
        shape: Shape | Sequence[int],
        dtype: DataType,
        layout: Layout,
        *rest: Any,
        memory_config: MemoryConfig | None = None,
        buffer_type: BufferType = BufferType.DRAM,
        tile: Tile | None = None,
    ) -> None:
        """After the layout come a memory configuration, or what one is made of, and a tile."""
        given = [one for one in rest if one is not None]
        tiles = [one for one in given if isinstance(one, Tile)]
        kinds = [one for one in given if isinstance(one, BufferType)]
        configs = [one for one in given if isinstance(one, MemoryConfig)]
        shards = [one for one in given if isinstance(one, (ShardSpec, NdShardSpec))]
        layouts = [one for one in given if isinstance(one, TensorMemoryLayout)]
        if len(given) != sum(map(len, (tiles, kinds, configs, shards, layouts))):
            raise TypeError(f"TensorSpec(): incompatible arguments {rest!r}")
        kind = kinds[0] if kinds else buffer_type
        if shards and isinstance(shards[0], NdShardSpec):
            memory_config = MemoryConfig(kind, shards[0])
        elif layouts:
            memory_config = MemoryConfig(layouts[0], kind, *shards)
        memory_config = configs[0] if configs else memory_config
        self.shape, self.dtype, self.layout = Shape(shape), DataType(dtype), Layout(layout)
        self.memory_config = (memory_config or MemoryConfig(buffer_type=kind))._of_tensor()
        self.tile = tiles[0] if tiles else tile or Tile()
        self._padded: Shape | None = None

    @property
    def padded_shape(self) -> Shape:
        return self._padded or _layout.padded_shape(self.shape, self.layout)

    def _with_padding(self, padded: Shape | Sequence[int]) -> TensorSpec:
        """The same with more padding than whole tiles need."""
        spec = copy.copy(self)
        sizes = Shape(padded)
        spec._padded = None if sizes == _layout.padded_shape(self.shape, self.layout) else sizes
        return spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and vars(self) == vars(other)

    def __repr__(self) -> str:
        parts = f"{list(self.shape)}, {self.dtype}, {self.layout.name}, {self.memory_config}"
        return f"TensorSpec({parts})"


class Tensor:
    """Values with a data type and a layout, on the host or on a device.

    >>> import numpy as np
    >>> x = from_torch(np.ones((2, 3), dtype=np.float32), dtype=DataType.BFLOAT16)
    >>> x.shape, x.dtype
    (Shape([2, 3]), DataType.BFLOAT16)
    """

    def __init__(
        self, spec: TensorSpec, host: np.ndarray | None = None, buffer: Buffer | None = None
    ) -> None:
        """Values on the host have the padded shape."""
        self.spec, self._host, self._buffer = spec, host, buffer

    @property
    def shape(self) -> Shape:
        return self.spec.shape

    @property
    def padded_shape(self) -> Shape:
        return self.spec.padded_shape

    @property
    def dtype(self) -> DataType:
        return self.spec.dtype

    @property
    def layout(self) -> Layout:
        return self.spec.layout

    @property
    def tile(self) -> Tile:
        return self.spec.tile

    def get_tile(self) -> Tile:
        return self.spec.tile

    def get_dtype(self) -> DataType:
        return self.spec.dtype

    def get_layout(self) -> Layout:
        return self.spec.layout

    def memory_config(self) -> MemoryConfig:
        return self.spec.memory_config

    def is_sharded(self) -> bool:
        return self._buffer is not None and self.spec.memory_config.is_sharded()

    def storage_type(self) -> StorageType:
        return StorageType.HOST if self._buffer is None else StorageType.DEVICE

    def device(self) -> Device | None:
        return None if self._buffer is None else self._buffer.device

    def is_allocated(self) -> bool:
        return self._host is not None or (self._buffer is not None and self._buffer.is_live)

    def buffer_address(self) -> int:
        return self._live_buffer().address

    def buffer_page_size(self) -> int:
        return self._live_buffer().page_bytes

    def buffer_aligned_page_size(self) -> int:
        return self._live_buffer().aligned_page_bytes

    def buffer_num_pages(self) -> int:
        return self._live_buffer().pages

    def _bank_bytes(self) -> int:
        return self._live_buffer().bank_bytes

    def element_size(self) -> int:
        return element_size(self.dtype)

    def volume(self) -> int:
        return math.prod(self.padded_shape)

    def logical_volume(self) -> int:
        return math.prod(self.shape)

    def deallocate(self, force: bool = True) -> None:
        """Gives the memory back; the tensor must not be used any more."""
        if self._buffer is not None:
            self._buffer.free()
        self._host = None

    def to(self, target: Any, mem_config: MemoryConfig | None = None) -> Tensor:
        """The tensor on a device, or in another layout."""
        from .device import Device

        if isinstance(target, Layout):
            return to_layout(self, target)
        if isinstance(target, Device):
            return to_device(self, target, memory_config=mem_config)
        raise TypeError(f"Tensor.to(): expected a device or a layout, got {target!r}")

    def cpu(self, blocking: bool = True, cq_id: int | None = None) -> Tensor:
        """The tensor on the host."""
        return from_device(self)

    def to_numpy(self) -> np.ndarray:
        """The values as a numpy array; block formats as float32."""
        values = self._padded_values()
        return values[_layout.within(values.ndim, self.shape)].copy()

    def _padded_values(self) -> np.ndarray:
        """The values with their padding, not to be changed."""
        if self._host is not None:
            return self._host
        spec, contents = self.spec, self._live_buffer().read()
        return _layout.decode(contents, spec.padded_shape, spec.dtype, spec.layout)

    def to_torch(self) -> Any:
        """The values as a torch tensor, or as a numpy array where torch is not installed."""
        return _arrays.to_torch(self.to_numpy())

    def to_torch_with_padded_shape(self) -> Any:
        """The same with its padding."""
        return _arrays.to_torch(self._padded_values().copy())

    def to_list(self) -> list[Any]:
        return self.to_numpy().astype(np.float64).tolist()

    def item(self) -> float:
        return self.to_numpy().astype(np.float64).item()

    def reshape(self, *shape: Any) -> Tensor:
        """A copy with other sizes of the same volume; one of them may be -1."""
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        values = self.to_numpy().reshape(tuple(sizes))
        return self._like(values)

    def _like(self, values: np.ndarray) -> Tensor:
        """New values with this tensor's type, layout and place."""
        tensor = from_torch(values, dtype=self.dtype, layout=self.layout)
        device = self.device()
        config = self.memory_config()
        return tensor if device is None else to_device(tensor, device, memory_config=config)

    def _live_buffer(self) -> Buffer:
        if self._buffer is None:
            raise RuntimeError("Tensor is not allocated on a device: it is in host storage")
        if not self._buffer.is_live:
            raise RuntimeError("Tensor is not allocated: its buffer was deallocated")
        return self._buffer

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        values = self.to_numpy()
        return values if dtype is None else values.astype(dtype)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.to_numpy().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __repr__(self) -> str:
        if not self.is_allocated():
            return f"ttnn.Tensor(<deallocated>, shape={self.shape}, dtype={self.dtype})"
        values = np.array2string(self.to_numpy().astype(np.float32), threshold=32, edgeitems=2)
        parts = f"shape={self.shape}, dtype={self.dtype}, layout={self.layout.name}"
        return f"ttnn.Tensor({values}, {parts})"

    def __len__(self) -> int:
        return self.shape[0]


def from_torch(
    tensor: Any,
    dtype: DataType | None = None,
    *,
    spec: TensorSpec | None = None,
    tile: Tile | None = None,
    pad_value: float | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
    mesh_mapper: object = None,
    cq_id: int | None = None,
) -> Tensor:
    """A tensor from a torch tensor, a numpy array or a DLPack array; `pad_value` fills its tiles
    beyond its shape."""
    values = _arrays.to_numpy(tensor)
    if spec is not None:
        dtype, layout, tile = spec.dtype, spec.layout, spec.tile
        memory_config = memory_config or spec.memory_config
    if tile is not None and tile != Tile():
        raise NotImplementedError(f"tilewright does not serve tensors in tiles of {tile}")
    if mesh_mapper is not None:
        raise NotImplementedError("tilewright does not serve mesh_mapper: it has one device")
    dtype = _arrays.natural_type(values) if dtype is None else DataType(dtype)
    if layout is None:
        layout = Layout.TILE if dtype in _layout.BLOCK_FORMATS else Layout.ROW_MAJOR
    if dtype in _layout.BLOCK_FORMATS and layout != Layout.TILE:
        raise RuntimeError(f"ttnn.from_torch: {dtype!r} requires ttnn.TILE_LAYOUT")
    parts = TensorSpec(values.shape, dtype, layout, memory_config or DRAM_MEMORY_CONFIG)
    elements = _layout.to_elements(values, dtype).reshape(values.shape)
    host = _layout.padded(elements, parts.padded_shape, pad_value or 0)
    if dtype in _layout.BLOCK_FORMATS:
        contents = _layout.encode(host, dtype, layout)
        host = _layout.decode(contents, parts.padded_shape, dtype, layout)
    on_host = Tensor(parts, host=host)
    return on_host if device is None else to_device(on_host, device, memory_config=memory_config)


def to_torch(tensor: Tensor, dtype: Any = None, **unserved: Any) -> Any:
    """A tensor's values as a torch tensor, or as a numpy array where torch is not installed."""
    if unserved.pop("mesh_composer", None) is not None:
        raise NotImplementedError("tilewright does not serve mesh_composer: it has one device")
    values = tensor.to_torch()
    rank = unserved.pop("torch_rank", None)
    if rank is not None:
        values = values.reshape(tuple(tensor.shape.to_rank(rank)))
    return values if dtype is None else values.to(dtype)


def to_device(
    tensor: Tensor,
    device: Device,
    memory_config: MemoryConfig | None = None,
    cq_id: int | None = None,
) -> Tensor:
    """Copies a host tensor to a device."""
    old = tensor.spec
    spec = TensorSpec(old.shape, old.dtype, old.layout, memory_config or old.memory_config)
    moved = allocate_tensor_on_device(spec._with_padding(old.padded_shape), device)
    moved._live_buffer().write(_layout.encode(tensor._padded_values(), spec.dtype, spec.layout))
    return moved


def from_device(tensor: Tensor, blocking: bool = True, cq_id: int | None = None) -> Tensor:
    """Copies a device tensor to the host."""
    return Tensor(tensor.spec, host=tensor._padded_values().copy())


def to_layout(
    tensor: Tensor,
    layout: Layout,
    dtype: DataType | None = None,
    memory_config: MemoryConfig | None = None,
    **ignored: Any,
) -> Tensor:
    """A copy in another layout; it keeps its place and, unless told otherwise, its type."""
    config = memory_config or tensor.memory_config()
    changed = from_torch(tensor.to_numpy(), dtype=dtype or tensor.dtype, layout=layout)
    device = tensor.device()
    return changed if device is None else to_device(changed, device, memory_config=config)


def to_dtype(tensor: Tensor, dtype: DataType) -> Tensor:
    """A host copy in another data type."""
    return from_torch(tensor.to_numpy(), dtype=dtype, layout=tensor.layout)


def to_memory_config(
    tensor: Tensor, memory_config: MemoryConfig, dtype: DataType | None = None, **ignored: Any
) -> Tensor:
    """A copy in another memory or in other shards."""
    device = tensor.device()
    if device is None:
        raise RuntimeError("ttnn.to_memory_config: the tensor must be on a device")
    changed = from_torch(tensor.to_numpy(), dtype=dtype or tensor.dtype, layout=tensor.layout)
    return to_device(changed, device, memory_config=memory_config)


def allocate_tensor_on_device(*args: Any, **kwargs: Any) -> Tensor:
    """A tensor without values: `(shape, dtype, layout, device, memory_config)` or `(spec, device)`.

    Reading it before a program has written it gives zeros.
    """
    if args and isinstance(args[0], TensorSpec):
        spec, device = args[0], kwargs.get("device") or args[1]
    elif "tensor_spec" in kwargs:
        spec, device = kwargs["tensor_spec"], kwargs.get("device") or args[0]
    else:
        names = ("shape", "dtype", "layout", "device", "memory_config")
        given = dict(zip(names, args, strict=False)) | kwargs
        missing = [name for name in names[:4] if name not in given]
        if missing:
            raise TypeError(f"allocate_tensor_on_device(): missing {', '.join(missing)}")
        device = given["device"]
        spec = TensorSpec(
            given["shape"], given["dtype"], given["layout"], given.get("memory_config")
        )
    return Tensor(spec, buffer=device._allocate(spec))


def deallocate(tensor: Tensor, force: bool = True) -> None:
    """Gives a tensor's memory back."""
    tensor.deallocate(force)
