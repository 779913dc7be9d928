"""Data types, layouts, shapes, tiles and the settings of compute kernels."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload


class DataType(enum.IntEnum):
    """The type of a tensor's elements, or of a circular buffer's tiles."""

    BFLOAT16 = 0
    FLOAT32 = 1
    UINT32 = 2
    BFLOAT8_B = 3
    BFLOAT4_B = 4
    UINT8 = 5
    UINT16 = 6
    INT32 = 7
    FP8_E4M3 = 8
    INT8 = 9
    INVALID = 10

    def __repr__(self) -> str:
        return f"DataType.{self.name}"

    __str__ = __repr__


class Layout(enum.IntEnum):
    """Rows one after another, or tiles of 32x32 by faces."""

    ROW_MAJOR = 0
    TILE = 1
    INVALID = 2


class StorageType(enum.IntEnum):
    """Where a tensor's values are."""

    HOST = 0
    DEVICE = 1


class MathFidelity(enum.IntEnum):
    """How many phases a product takes, and so how many of its operands' bits count."""

    LoFi = 0
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4
    Invalid = 255


class UnpackToDestMode(enum.IntEnum):
    """Whether tiles of a circular buffer go to Dst in 32 bits, past the source registers."""

    Default = 0
    UnpackToDestFp32 = 1


class DataMovementProcessor(enum.IntEnum):
    """The data-movement processors; `RISCV_0` is the writer's place, `RISCV_1` the reader's."""

    RISCV_0 = 0
    RISCV_1 = 1


class NOC(enum.IntEnum):
    """The two networks on chip. The defaults are those of the two processors."""

    RISCV_0_default = 0
    NOC_0 = 0
    RISCV_1_default = 1
    NOC_1 = 1


class NOC_MODE(enum.IntEnum):
    """Whether a processor keeps to one network."""

    DM_DEDICATED_NOC = 0
    DM_DYNAMIC_NOC = 1


class CoreType(enum.IntEnum):
    """Kinds of places on the chip; programs here have workers."""

    ARC = 0
    DRAM = 1
    ETH = 2
    PCIE = 3
    WORKER = 4


class Arch(enum.IntEnum):
    """Chips: `device.arch()` is `WORMHOLE_B0` for an n150, `BLACKHOLE` for a p100a or p150."""

    GRAYSKULL = 1
    WORMHOLE_B0 = 2
    BLACKHOLE = 3
    QUASAR = 4


class Shape(Sequence[int]):
    """A tensor's sizes.

    >>> Shape([2, 3, 32])[-1], Shape([2, 3, 32]).to_rank(4)
    (32, Shape([1, 2, 3, 32]))
    """

    __slots__ = ("_sizes",)

    def __init__(self, shape: Iterable[int]) -> None:
        sizes = tuple(shape)
        for size in sizes:
            if not hasattr(size, "__index__") or size < 0:
                raise TypeError(f"Shape(): expected non-negative integers, got {size!r}")
        self._sizes = tuple(int(size) for size in sizes)

    @property
    def rank(self) -> int:
        return len(self._sizes)

    def to_rank(self, rank: int) -> Shape:
        """The same sizes with leading ones added or removed."""
        sizes = list(self._sizes)
        while len(sizes) < rank:
            sizes.insert(0, 1)
        while len(sizes) > rank:
            if sizes.pop(0) != 1:
                raise RuntimeError(f"Can't convert shape {self} to rank {rank}")
        return Shape(sizes)

    def volume(self) -> int:
        """The number of elements."""
        return math.prod(self._sizes)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Shape: ...
    def __getitem__(self, index: int | slice) -> int | Shape:
        found = self._sizes[index]
        return found if isinstance(found, int) else Shape(found)

    def __len__(self) -> int:
        return len(self._sizes)

    def __iter__(self) -> Iterator[int]:
        return iter(self._sizes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Shape, tuple, list)):
            return NotImplemented
        return self._sizes == tuple(other)

    def __hash__(self) -> int:
        return hash(self._sizes)

    def __repr__(self) -> str:
        return f"Shape({list(self._sizes)})"


ELEMENT_BYTES = {
    DataType.BFLOAT16: 2,
    DataType.FLOAT32: 4,
    DataType.UINT32: 4,
    DataType.INT32: 4,
    DataType.UINT16: 2,
    DataType.UINT8: 1,
    DataType.INT8: 1,
    DataType.FP8_E4M3: 1,
    DataType.BFLOAT8_B: 1,
    DataType.BFLOAT4_B: 1,
}
_BLOCK_VALUE_BITS = {DataType.BFLOAT8_B: 8, DataType.BFLOAT4_B: 4}


class Tile:
    """The shape of a tile.

    >>> Tile((32, 32)).get_tile_size(DataType.BFLOAT8_B)
    1088
    """

    def __init__(self, tile_shape: Sequence[int] = (32, 32), transpose_tile: bool = False) -> None:
        height, width = (int(size) for size in tile_shape)
        if height not in (1, 2, 4, 8, 16, 32) or width not in (16, 32):
            raise RuntimeError(f"Tile shape ({height}, {width}) is not valid for our hardware")
        self.tile_shape = [height, width]
        self.face_shape = [min(height, 16), 16]
        self.transpose_within_face = self.transpose_of_faces = transpose_tile

    @property
    def num_faces(self) -> int:
        height, width = self.tile_shape
        return math.ceil(height / 16) * (width // 16)

    @property
    def partial_face(self) -> bool:
        return self.tile_shape[0] < 16

    @property
    def narrow_tile(self) -> bool:
        return self.tile_shape[1] < 32

    def get_tile_size(self, dtype: DataType) -> int:
        """Bytes of a tile."""
        values = self.tile_shape[0] * self.tile_shape[1]
        if dtype in _BLOCK_VALUE_BITS:
            exponents = -(-(values // 16) // 16) * 16
            return values * _BLOCK_VALUE_BITS[dtype] // 8 + exponents
        return values * element_size(dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tile) and self.tile_shape == other.tile_shape

    def __hash__(self) -> int:
        return hash(tuple(self.tile_shape))

    def __repr__(self) -> str:
        return f"Tile({tuple(self.tile_shape)})"


def tile_size(dtype: DataType) -> int:
    """Bytes of a tile of 32x32."""
    return Tile().get_tile_size(dtype)


def element_size(dtype: DataType) -> int:
    """Bytes of an element; 1 for block formats."""
    if dtype not in ELEMENT_BYTES:
        raise TypeError(f"element_size(): expected a ttnn data type, got {dtype!r}")
    return ELEMENT_BYTES[dtype]


class WormholeComputeKernelConfig:
    """Settings of compute kernels, as callers of operations pass them."""

    def __init__(
        self,
        *,
        math_fidelity: MathFidelity = MathFidelity.Invalid,
        math_approx_mode: bool = True,
        fp32_dest_acc_en: bool = False,
        packer_l1_acc: bool = False,
        dst_full_sync_en: bool = False,
        throttle_level: int = 0,
    ) -> None:
        self.math_fidelity = math_fidelity
        self.math_approx_mode = math_approx_mode
        self.fp32_dest_acc_en = fp32_dest_acc_en
        self.packer_l1_acc = packer_l1_acc
        self.dst_full_sync_en = dst_full_sync_en
        self.throttle_level = throttle_level

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WormholeComputeKernelConfig) and vars(self) == vars(other)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"WormholeComputeKernelConfig({fields})"


def init_device_compute_kernel_config(
    arch: Arch,
    device_kernel_config: WormholeComputeKernelConfig | None = None,
    **defaults: Any,
) -> WormholeComputeKernelConfig:
    """The given settings, or the defaults where none were given."""
    defaults = {"math_fidelity": MathFidelity.LoFi} | defaults
    return device_kernel_config or WormholeComputeKernelConfig(**defaults)
