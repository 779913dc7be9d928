"""Which cores hold the shards of a tensor."""

from __future__ import annotations

import math

from .cores import CoreCoord, corerange_to_cores
from .memory import BufferType, ShardOrientation, TensorMemoryLayout
from .tensor import Tensor
from .types import NOC


def get_optimal_worker_cores_for_sharded_tensor(
    tensor: Tensor, noc: NOC = NOC.NOC_0
) -> list[CoreCoord]:
    """The cores with shards of a tensor in L1, in the order of shards."""
    config = tensor.memory_config()
    spec = config.shard_spec or config.nd_shard_spec
    if spec is None:
        raise RuntimeError("get_optimal_worker_cores_for_sharded_tensor: the tensor has no shards")
    if config.buffer_type != BufferType.L1:
        raise NotImplementedError(
            "tilewright does not serve get_optimal_worker_cores_for_sharded_tensor of DRAM"
        )
    is_row = spec.orientation == ShardOrientation.ROW_MAJOR
    cores = corerange_to_cores(spec.grid, row_wise=is_row)
    sizes = list(tensor.padded_shape)
    if config.shard_spec is None:
        shape = list(config.nd_shard_spec.shard_shape)  # type: ignore[union-attr]
        sizes = [math.prod(sizes[: len(sizes) - len(shape) + 1]), *sizes[len(sizes) - len(shape) + 1 :]]
        counts = [-(-size // part) for size, part in zip(sizes, shape, strict=True)]
        return cores[: math.prod(counts)]
    rows, columns = config.shard_spec.shape
    down = -(-math.prod(sizes[:-1]) // rows)
    across = -(-sizes[-1] // columns)
    if config.memory_layout != TensorMemoryLayout.BLOCK_SHARDED:
        return cores[: down * across]
    width, height = (across, down) if is_row else (down, across)
    first = spec.grid.bounding_box().start
    return [c for c in cores if c.x - first.x < width and c.y - first.y < height]
