"""Operations in the style of ttnn's: a program descriptor, kernels in C++, one function each.

`fault` is a name that kernels know, such as `MISSING_READ_BARRIER`: a broken twin of the operation.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

from tilewright import ttnn

KERNELS = Path(__file__).parent / "kernels"
EXAMPLES = Path(__file__).parents[3] / "examples"
TILE_BYTES = ttnn.tile_size(ttnn.bfloat16)
Program = tuple[list[ttnn.Tensor], ttnn.ProgramDescriptor]


def ring(index: int, cores: ttnn.CoreRangeSet, pages: int, dtype=ttnn.bfloat16) -> ttnn.CBDescriptor:
    """A circular buffer of tiles."""
    page = ttnn.tile_size(dtype)
    format = ttnn.CBFormatDescriptor(buffer_index=index, data_format=dtype, page_size=page)
    return ttnn.CBDescriptor(
        total_size=pages * page, core_ranges=cores, format_descriptors=[format]
    )


def like(x: ttnn.Tensor, shape: Sequence[int] | None = None) -> ttnn.Tensor:
    """An output beside an input."""
    return ttnn.allocate_tensor_on_device(
        ttnn.Shape(shape or list(x.shape)), x.dtype, x.layout, x.device(), x.memory_config()
    )


def accessor(tensor: ttnn.Tensor) -> list[int]:
    return ttnn.TensorAccessorArgs(tensor).get_compile_time_args()


def kernel(file: Path, cores: ttnn.CoreRangeSet, config: object, **rest: object) -> ttnn.KernelDescriptor:
    return ttnn.KernelDescriptor(
        kernel_source=str(file), core_ranges=cores, config=config, **rest
    )


def faults(fault: str | None) -> list[tuple[str, str]]:
    return [] if fault is None else [(f"FAULT_{fault}", "1")]


@dataclasses.dataclass
class Part:
    """A kernel of a program whose cores take shares of the work."""

    file: Path
    config: object
    runtime: Callable[[int, int], list[int]]
    """The arguments of a core, from its first unit of work and its number of units."""
    words: Sequence[int] = ()
    common: Sequence[int] = ()


def shared_out(
    split: tuple,
    parts: Sequence[Part],
    cbs: Sequence[ttnn.CBDescriptor],
    fault: str | None,
    include: Sequence[Path] = (),
) -> ttnn.ProgramDescriptor:
    """Kernels on the cores of `split_work_to_cores`, each with its share of the units."""
    _, cores, first_group, second_group, more, fewer = split
    arguments, start = [ttnn.RuntimeArgs() for _ in parts], 0
    for group, units in ((first_group, more), (second_group, fewer)):
        for core in ttnn.corerange_to_cores(group):
            for part, args in zip(parts, arguments, strict=True):
                args[core.x][core.y] = part.runtime(start, units)
            start += units
    kernels = [
        kernel(
            part.file,
            cores,
            part.config,
            compile_time_args=list(part.words),
            common_runtime_args=list(part.common),
            runtime_args=args,
            defines=faults(fault),
            compiler_include_paths=[str(folder) for folder in include],
        )
        for part, args in zip(parts, arguments, strict=True)
    ]
    return ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=list(cbs))


def split(x: ttnn.Tensor, units: int) -> tuple:
    return ttnn.split_work_to_cores(x.device().compute_with_storage_grid_size(), units)


def reader(file: Path, inputs: Sequence[ttnn.Tensor], common: Sequence[int] = ()) -> Part:
    addresses = [tensor.buffer_address() for tensor in inputs]
    words = [word for tensor in inputs for word in accessor(tensor)]
    runtime = lambda first, units: [*addresses, first, units]  # noqa: E731
    return Part(file, ttnn.ReaderConfigDescriptor(), runtime, words, common)


def computer(file: Path, common: Sequence[int] = (), config: object = None) -> Part:
    config = config or ttnn.ComputeConfigDescriptor()
    return Part(file, config, lambda _, units: [units], common=common)


def writer(file: Path, y: ttnn.Tensor, common: Sequence[int] = ()) -> Part:
    config, words = ttnn.WriterConfigDescriptor(), accessor(y)
    runtime = lambda first, units: [y.buffer_address(), first, units]  # noqa: E731
    return Part(file, config, runtime, words, common)


def exponential(x: ttnn.Tensor, fault: str | None = None) -> Program:
    """exp of each tile, on as many cores as there are tiles for."""
    y, shares = like(x), split(x, x.buffer_num_pages())
    parts = [
        reader(KERNELS / "read_tiles.cpp", [x]),
        computer(KERNELS / "exponential.cpp"),
        writer(KERNELS / "write_tiles.cpp", y),
    ]
    cbs = [ring(index, shares[1], 2) for index in (0, 16)]
    return [x, y], shared_out(shares, parts, cbs, fault)


def softmax(x: ttnn.Tensor, fault: str | None = None) -> Program:
    """Softmax along the last dimension, with the kernels of examples/softmax."""
    y, folder = like(x), EXAMPLES / "softmax"
    row_tiles = x.padded_shape[-1] // 32
    shares = split(x, x.buffer_num_pages() // row_tiles)
    block = max(size for size in range(1, 9) if row_tiles % size == 0)
    blocks, valid_columns = row_tiles // block, (x.shape[-1] - 1) % 32 + 1
    parts = [
        reader(folder / "reader.cpp", [x], [block, blocks, 1, valid_columns]),
        computer(folder / "compute.cpp", [block, blocks, 1]),
        writer(folder / "writer.cpp", y, [block, blocks]),
    ]
    pages = {0: 2 * row_tiles, 1: 1, 16: 2 * block, 24: 2, 25: row_tiles, 26: 2, 27: 2, 28: 2}
    cbs = [ring(index, shares[1], count) for index, count in pages.items()]
    return [x, y], shared_out(shares, parts, cbs, fault, [EXAMPLES / "common"])


def layer_norm_rm(
    x: ttnn.Tensor, gamma: ttnn.Tensor, beta: ttnn.Tensor, fault: str | None = None
) -> Program:
    """LayerNorm of row-major tensors, with the kernels of examples/layernorm/row_major."""
    y, folder = like(x), EXAMPLES / "layernorm" / "row_major"
    columns, row_tiles = x.shape[-1], x.shape[-1] // 32
    shares = split(x, x.buffer_num_pages() // 32)
    config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True, dst_full_sync_en=True)
    straight, mode = {6, 7, 14}, ttnn.UnpackToDestMode
    config.unpack_to_dest_mode = [
        mode.UnpackToDestFp32 if index in straight else mode.Default for index in range(32)
    ]
    parts = [
        reader(folder / "reader.cpp", [x, gamma, beta], [row_tiles, 1]),
        computer(folder / "compute.cpp", [row_tiles, 1, _bits(1 / columns), _bits(1e-5)], config),
        writer(folder / "writer.cpp", y, [row_tiles]),
    ]
    short = {13: 16, 0: row_tiles, 1: row_tiles, 2: row_tiles, 15: 1, 3: 1, 16: 12}
    wide = {8: 2, 6: 1, 7: 1, 14: 1}
    cbs = [ring(index, shares[1], count) for index, count in short.items()]
    cbs += [ring(index, shares[1], count, ttnn.float32) for index, count in wide.items()]
    include = [folder.parent, EXAMPLES / "common"]
    return [x, gamma, beta, y], shared_out(shares, parts, cbs, fault, include)


def mcast_matmul(a: ttnn.Tensor, b: ttnn.Tensor, fault: str | None = None) -> Program:
    """A product with one output tile a core; rows of A and columns of B are sent to their cores."""
    device = a.device()
    rows, depth, columns = a.shape[-2] // 32, a.shape[-1] // 32, b.shape[-1] // 32
    c = like(a, [a.shape[-2], b.shape[-1]])
    last = ttnn.CoreCoord(columns - 1, rows - 1)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), last)])
    reader, writer = ttnn.RuntimeArgs(), ttnn.RuntimeArgs()
    place = device.worker_core_from_logical_core
    for x in range(columns):
        for y in range(rows):
            row = (place(ttnn.CoreCoord(1, y)), place(ttnn.CoreCoord(columns - 1, y)))
            column = (place(ttnn.CoreCoord(x, 1)), place(ttnn.CoreCoord(x, rows - 1)))
            of_a = _operand(x == 0, columns - 1, row, place(ttnn.CoreCoord(0, y)), (0, 1))
            of_b = _operand(y == 0, rows - 1, column, place(ttnn.CoreCoord(x, 0)), (2, 3))
            reader[x][y] = [a.buffer_address(), b.buffer_address(), y, x, *of_a, *of_b]
            writer[x][y] = [c.buffer_address(), y * columns + x, 1]
    kernels = [
        kernel(
            KERNELS / "mcast_read.cpp",
            cores,
            ttnn.ReaderConfigDescriptor(),
            compile_time_args=[depth, columns, *accessor(a), *accessor(b)],
            runtime_args=reader,
            defines=faults(fault),
        ),
        kernel(
            KERNELS / "mcast_product.cpp",
            cores,
            ttnn.ComputeConfigDescriptor(),
            compile_time_args=[depth],
        ),
        kernel(
            KERNELS / "write_tiles.cpp",
            cores,
            ttnn.WriterConfigDescriptor(),
            compile_time_args=accessor(c),
            runtime_args=writer,
        ),
    ]
    semaphores = [
        ttnn.SemaphoreDescriptor(id=number, core_ranges=cores, initial_value=0)
        for number in range(4)
    ]
    cbs = [ring(0, cores, 1), ring(1, cores, 1), ring(16, cores, 1)]
    return [a, b, c], ttnn.ProgramDescriptor(kernels=kernels, semaphores=semaphores, cbs=cbs)


def _operand(is_sender, receivers, cores, sender, semaphores) -> list[int]:
    first, last = cores
    ends = [first.x, first.y, last.x, last.y, sender.x, sender.y]
    return [int(is_sender), receivers, *ends, *semaphores]


def shard_square(x: ttnn.Tensor, fault: str | None = None) -> Program:
    """The squares of a sharded tensor, from shard to shard without any transfer."""
    y = like(x)
    cores = x.memory_config().shard_spec.grid
    tiles = x.memory_config().shard_spec.shape[0] * x.memory_config().shard_spec.shape[1] // 1024
    pages, compute = ttnn.RuntimeArgs(), ttnn.RuntimeArgs()
    for core in ttnn.corerange_to_cores(cores):
        pages[core.x][core.y] = [tiles]
        compute[core.x][core.y] = [tiles]
    kernels = [
        kernel(
            KERNELS / "shard_pages.cpp", cores, ttnn.ReaderConfigDescriptor(), runtime_args=pages
        ),
        kernel(
            KERNELS / "shard_square.cpp",
            cores,
            ttnn.ComputeConfigDescriptor(),
            runtime_args=compute,
            defines=faults(fault),
        ),
    ]
    cbs = [
        ttnn.cb_descriptor_from_sharded_tensor(0, x),
        ttnn.cb_descriptor_from_sharded_tensor(16, y),
    ]
    return [x, y], ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=cbs)


def _bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]
