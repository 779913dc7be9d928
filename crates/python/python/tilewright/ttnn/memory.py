"""Where a tensor's pages lie: memory configurations and how tensors are cut into shards."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence

from .cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet
from .types import Shape


class BufferType(enum.IntEnum):
    """The memory that a buffer is in."""

    DRAM = 0
    L1 = 1
    SYSTEM_MEMORY = 2
    L1_SMALL = 3
    TRACE = 4


class TensorMemoryLayout(enum.IntEnum):
    """How pages are spread: over all banks in turn, or in shards."""

    INTERLEAVED = 0
    HEIGHT_SHARDED = 2
    WIDTH_SHARDED = 3
    BLOCK_SHARDED = 4
    ND_SHARDED = 5


class ShardOrientation(enum.IntEnum):
    """The order in which cores get shards."""

    ROW_MAJOR = 0
    COL_MAJOR = 1


class ShardStrategy(enum.Enum):
    """How `create_sharded_memory_config` cuts a tensor."""

    HEIGHT = 1
    WIDTH = 2
    BLOCK = 3


class ShardDistributionStrategy(enum.IntEnum):
    """How shards of more than two dimensions are dealt to cores."""

    ROUND_ROBIN_1D = 0
    GRID_2D = 1


class ShardSpec:
    """Shards of two dimensions and the cores that hold them."""

    def __init__(
        self,
        grid: CoreRangeSet,
        shard_shape: Sequence[int],
        shard_orientation: ShardOrientation = ShardOrientation.ROW_MAJOR,
    ) -> None:
        if not isinstance(grid, CoreRangeSet):
            raise TypeError(f"ShardSpec(): grid must be a CoreRangeSet, got {grid!r}")
        if len(shard_shape) != 2:
            raise TypeError(f"ShardSpec(): shard_shape must have two sizes, got {shard_shape!r}")
        self.grid, self.orientation = grid, ShardOrientation(shard_orientation)
        self.shape = [int(size) for size in shard_shape]

    def num_cores(self) -> int:
        return self.grid.num_cores()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShardSpec) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.grid, tuple(self.shape), self.orientation))

    def __repr__(self) -> str:
        return f"ShardSpec(grid={self.grid}, shape={self.shape}, {self.orientation.name})"


class NdShardSpec:
    """Shards of any number of dimensions and the cores that hold them."""

    def __init__(
        self,
        shard_shape: Shape | Sequence[int],
        grid: CoreRangeSet,
        orientation: ShardOrientation = ShardOrientation.ROW_MAJOR,
        shard_distribution_strategy: ShardDistributionStrategy = (
            ShardDistributionStrategy.ROUND_ROBIN_1D
        ),
    ) -> None:
        self.shard_shape, self.grid = Shape(shard_shape), grid
        self.orientation = ShardOrientation(orientation)
        self.shard_distribution_strategy = shard_distribution_strategy

    def num_cores(self) -> int:
        return self.grid.num_cores()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NdShardSpec) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.grid, self.shard_shape, self.orientation))

    def __repr__(self) -> str:
        return f"NdShardSpec({list(self.shard_shape)}, {self.grid}, {self.orientation.name})"


class MemoryConfig:
    """The memory of a tensor and how its pages are spread there.

    Called as `MemoryConfig(memory_layout, buffer_type, shard_spec)`, or as
    `MemoryConfig(buffer_type, nd_shard_spec)`.
    """

    def __init__(
        self,
        memory_layout: TensorMemoryLayout | BufferType = TensorMemoryLayout.INTERLEAVED,
        buffer_type: BufferType | NdShardSpec = BufferType.DRAM,
        shard_spec: ShardSpec | None = None,
        nd_shard_spec: NdShardSpec | None = None,
    ) -> None:
        if isinstance(memory_layout, BufferType):
            memory_layout, buffer_type, nd_shard_spec = (
                TensorMemoryLayout.ND_SHARDED,
                memory_layout,
                buffer_type if isinstance(buffer_type, NdShardSpec) else nd_shard_spec,
            )
        if nd_shard_spec is not None:
            memory_layout = TensorMemoryLayout.ND_SHARDED
        if not isinstance(memory_layout, TensorMemoryLayout):
            raise TypeError(f"MemoryConfig(): {memory_layout!r} is not a TensorMemoryLayout")
        if not isinstance(buffer_type, BufferType):
            raise TypeError(f"MemoryConfig(): {buffer_type!r} is not a BufferType")
        if memory_layout == TensorMemoryLayout.INTERLEAVED and shard_spec is not None:
            raise RuntimeError("MemoryConfig: an interleaved tensor has no shard_spec")
        self._memory_layout, self._buffer_type = memory_layout, buffer_type
        self._shard_spec, self._nd_shard_spec = shard_spec, nd_shard_spec
        self._as_nd: NdShardSpec | None = None

    @property
    def memory_layout(self) -> TensorMemoryLayout:
        return self._memory_layout

    @property
    def buffer_type(self) -> BufferType:
        return self._buffer_type

    @property
    def shard_spec(self) -> ShardSpec | None:
        return self._shard_spec

    @property
    def nd_shard_spec(self) -> NdShardSpec | None:
        return self._nd_shard_spec or self._as_nd

    def _of_tensor(self) -> MemoryConfig:
        """The same as a tensor answers it: with `nd_shard_spec` for two-dimensional shards too."""
        if self._shard_spec is None or self._nd_shard_spec is not None:
            return self
        is_block = self._memory_layout == TensorMemoryLayout.BLOCK_SHARDED
        strategy = ShardDistributionStrategy
        answered = MemoryConfig(self._memory_layout, self._buffer_type, self._shard_spec)
        answered._as_nd = NdShardSpec(
            self._shard_spec.shape,
            self._shard_spec.grid,
            self._shard_spec.orientation,
            strategy.GRID_2D if is_block else strategy.ROUND_ROBIN_1D,
        )
        return answered

    @property
    def interleaved(self) -> bool:
        return self._memory_layout == TensorMemoryLayout.INTERLEAVED

    def is_sharded(self) -> bool:
        """Whether the tensor is cut into shards."""
        return not self.interleaved

    def _key(self) -> tuple[object, ...]:
        return (self._memory_layout, self._buffer_type, self._shard_spec, self._nd_shard_spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemoryConfig) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        layout, memory = self._memory_layout.name, self._buffer_type.name
        shards = self._shard_spec or self._nd_shard_spec
        return f"MemoryConfig({layout}, {memory}, shard_spec={shards})"


DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1)

_LAYOUT_OF = {
    ShardStrategy.HEIGHT: TensorMemoryLayout.HEIGHT_SHARDED,
    ShardStrategy.WIDTH: TensorMemoryLayout.WIDTH_SHARDED,
    ShardStrategy.BLOCK: TensorMemoryLayout.BLOCK_SHARDED,
}


def create_sharded_memory_config(
    shape: Shape | Sequence[int],
    core_grid: CoreGrid | CoreRangeSet,
    strategy: ShardStrategy,
    orientation: ShardOrientation | None = None,
    use_height_and_width_as_shard_shape: bool = False,
) -> MemoryConfig:
    """A configuration in L1 that cuts `shape` evenly among the cores.

    >>> config = create_sharded_memory_config((64, 128), CoreGrid(x=4, y=2), ShardStrategy.BLOCK)
    >>> config.shard_spec.shape
    [32, 32]
    """
    if not isinstance(shape, (list, tuple, Shape)):
        raise RuntimeError("Invalid input shape")
    if not isinstance(strategy, ShardStrategy):
        raise RuntimeError("Invalid sharding strategy")
    order = ShardOrientation.ROW_MAJOR if orientation is None else ShardOrientation(orientation)
    *batches, height, width = shape
    if isinstance(core_grid, CoreRangeSet):
        if not use_height_and_width_as_shard_shape:
            raise RuntimeError("height and width must be shard shape with CoreRangeSet")
        grid = core_grid
    elif isinstance(core_grid, CoreGrid):
        end = CoreCoord(core_grid.x - 1, core_grid.y - 1)
        grid = CoreRangeSet([CoreRange(CoreCoord(0, 0), end)])
    else:
        raise RuntimeError("Invalid core_grid type")
    is_turned = order == ShardOrientation.COL_MAJOR
    if use_height_and_width_as_shard_shape:
        shard = (width, height) if is_turned else (height, width)
    else:
        assert isinstance(core_grid, CoreGrid)
        across, down = core_grid.x, core_grid.y
        if is_turned:
            across, down = down, across
        shard = _even_shard(math.prod(batches) * height, width, strategy, across, down)
    return MemoryConfig(_LAYOUT_OF[strategy], BufferType.L1, ShardSpec(grid, shard, order))


def _even_shard(
    height: int, width: int, strategy: ShardStrategy, across: int, down: int
) -> tuple[int, int]:
    cores = across * down
    parts = {
        ShardStrategy.BLOCK: (down, across),
        ShardStrategy.HEIGHT: (cores, 1),
        ShardStrategy.WIDTH: (1, cores),
    }[strategy]
    if height % parts[0] or width % parts[1]:
        raise RuntimeError("Invalid sharding core_grid")
    return height // parts[0], width // parts[1]
