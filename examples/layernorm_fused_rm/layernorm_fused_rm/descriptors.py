"""What a program is made of: circular buffers, kernels, and each core's share of the work."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ttnn


@dataclasses.dataclass(frozen=True)
class Ring:
    """A circular buffer of tiles."""

    pages: int
    dtype: Any = ttnn.bfloat16

    def descriptor(self, index: int, cores: Any) -> Any:
        page = ttnn.tile_size(self.dtype)
        format = ttnn.CBFormatDescriptor(
            buffer_index=index, data_format=self.dtype, page_size=page
        )
        return ttnn.CBDescriptor(
            total_size=self.pages * page, core_ranges=cores, format_descriptors=[format]
        )


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel on every core."""

    file: Path
    config: Any
    arguments: Callable[[int, int], list[int]]
    """The runtime arguments of a core, from its first unit of work and its number of units."""
    compile_time_args: Sequence[int] = ()
    defines: Mapping[str, str] = dataclasses.field(default_factory=dict)


def accessor(tensor: Any) -> list[int]:
    """The compile-time arguments by which a kernel finds a tensor's pages."""
    return list(ttnn.TensorAccessorArgs(tensor).get_compile_time_args())


def program(device: Any, units: int, kernels: Sequence[Kernel], rings: Mapping[int, Ring]) -> Any:
    """Kernels on as many cores as there are units of work for, each with its share."""
    bytes_needed = sum(ring.pages * ttnn.tile_size(ring.dtype) for ring in rings.values())
    bytes_free = ttnn.get_max_worker_l1_unreserved_size()
    if bytes_needed > bytes_free:
        raise RuntimeError(
            f"layernorm_fused_rm: the circular buffers take {bytes_needed} bytes of L1, "
            f"{bytes_free} are free"
        )
    grid = device.compute_with_storage_grid_size()
    _, cores, first_group, second_group, more, fewer = ttnn.split_work_to_cores(grid, units)
    arguments = [ttnn.RuntimeArgs() for _ in kernels]
    start = 0
    for group, share in ((first_group, more), (second_group, fewer)):
        for core in ttnn.corerange_to_cores(group):
            for kernel, args in zip(kernels, arguments):
                args[core.x][core.y] = kernel.arguments(start, share)
            start += share
    return ttnn.ProgramDescriptor(
        kernels=[
            ttnn.KernelDescriptor(
                kernel_source=str(kernel.file),
                core_ranges=cores,
                compile_time_args=list(kernel.compile_time_args),
                defines=list(kernel.defines.items()),
                runtime_args=args,
                config=kernel.config,
            )
            for kernel, args in zip(kernels, arguments)
        ],
        semaphores=[],
        cbs=[ring.descriptor(index, cores) for index, ring in rings.items()],
    )
