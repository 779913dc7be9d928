"""Operations in the style of ttnn's: a program descriptor, kernels in C++, one function each.

`fault` is a name that kernels know, such as `MISSING_READ_BARRIER`: a broken twin of the operation.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from tilewright import ttnn

KERNELS = Path(__file__).parent / "kernels"
EXAMPLES = Path(__file__).parents[3] / "examples"
TILE_BYTES = ttnn.tile_size(ttnn.bfloat16)
Program = tuple[list[ttnn.Tensor], ttnn.ProgramDescriptor]


def line_of(file: Path, marker: str) -> int:
    """The line of a kernel that has a comment."""
    lines = file.read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {marker}")]
    assert len(found) == 1, f"{file} has {len(found)} lines marked {marker}"
    return found[0]


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


def shares(split: tuple) -> list[tuple[ttnn.CoreCoord, int, int]]:
    """Core, first unit and units of each core of `split_work_to_cores`."""
    _, _, first, second, more, fewer = split
    found, start = [], 0
    for group, units in ((first, more), (second, fewer)):
        for core in ttnn.corerange_to_cores(group):
            found.append((core, start, units))
            start += units
    return found


def exponential(x: ttnn.Tensor, fault: str | None = None) -> Program:
    """exp of each tile, on as many cores as there are tiles for."""
    y = like(x)
    split = ttnn.split_work_to_cores(
        x.device().compute_with_storage_grid_size(), x.buffer_num_pages()
    )
    cores = split[1]
    reader, compute, writer = ttnn.RuntimeArgs(), ttnn.RuntimeArgs(), ttnn.RuntimeArgs()
    for core, first, tiles in shares(split):
        reader[core.x][core.y] = [x.buffer_address(), first, tiles]
        compute[core.x][core.y] = [tiles]
        writer[core.x][core.y] = [y.buffer_address(), first, tiles]
    defines = faults(fault)
    kernels = [
        kernel(
            KERNELS / "read_tiles.cpp",
            cores,
            ttnn.ReaderConfigDescriptor(),
            compile_time_args=accessor(x),
            runtime_args=reader,
            defines=defines,
        ),
        kernel(
            KERNELS / "exponential.cpp",
            cores,
            ttnn.ComputeConfigDescriptor(),
            runtime_args=compute,
            defines=defines,
        ),
        kernel(
            KERNELS / "write_tiles.cpp",
            cores,
            ttnn.WriterConfigDescriptor(),
            compile_time_args=accessor(y),
            runtime_args=writer,
        ),
    ]
    cbs = [ring(0, cores, 2), ring(16, cores, 2)]
    return [x, y], ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=cbs)


def softmax(x: ttnn.Tensor, fault: str | None = None) -> Program:
    """Softmax along the last dimension, with the kernels of examples/softmax."""
    y, folder = like(x), EXAMPLES / "softmax"
    row_tiles = x.padded_shape[-1] // 32
    rows = x.buffer_num_pages() // row_tiles
    block = max(size for size in range(1, 9) if row_tiles % size == 0)
    valid_columns = (x.shape[-1] - 1) % 32 + 1
    split = ttnn.split_work_to_cores(x.device().compute_with_storage_grid_size(), rows)
    cores, include = split[1], [str(EXAMPLES / "common")]
    reader, compute, writer = ttnn.RuntimeArgs(), ttnn.RuntimeArgs(), ttnn.RuntimeArgs()
    for core, first, count in shares(split):
        reader[core.x][core.y] = [x.buffer_address(), first, count]
        compute[core.x][core.y] = [count]
        writer[core.x][core.y] = [y.buffer_address(), first, count]
    blocks = row_tiles // block
    kernels = [
        kernel(
            folder / "reader.cpp",
            cores,
            ttnn.ReaderConfigDescriptor(),
            compile_time_args=accessor(x),
            runtime_args=reader,
            common_runtime_args=[block, blocks, 1, valid_columns],
            defines=faults(fault),
            compiler_include_paths=include,
        ),
        kernel(
            folder / "compute.cpp",
            cores,
            ttnn.ComputeConfigDescriptor(),
            runtime_args=compute,
            common_runtime_args=[block, blocks, 1],
            defines=faults(fault),
        ),
        kernel(
            folder / "writer.cpp",
            cores,
            ttnn.WriterConfigDescriptor(),
            compile_time_args=accessor(y),
            runtime_args=writer,
            common_runtime_args=[block, blocks],
            compiler_include_paths=include,
        ),
    ]
    pages = {0: 2 * row_tiles, 1: 1, 16: 2 * block, 24: 2, 25: row_tiles, 26: 2, 27: 2, 28: 2}
    cbs = [ring(index, cores, count) for index, count in pages.items()]
    return [x, y], ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=cbs)


def layer_norm_rm(
    x: ttnn.Tensor, gamma: ttnn.Tensor, beta: ttnn.Tensor, fault: str | None = None
) -> Program:
    """LayerNorm of row-major tensors, with the kernels of examples/layernorm/row_major."""
    y, folder = like(x), EXAMPLES / "layernorm" / "row_major"
    columns, row_tiles = x.shape[-1], x.shape[-1] // 32
    split = ttnn.split_work_to_cores(
        x.device().compute_with_storage_grid_size(), x.buffer_num_pages() // 32
    )
    cores = split[1]
    include = [str(folder.parent), str(EXAMPLES / "common")]
    reader, compute, writer = ttnn.RuntimeArgs(), ttnn.RuntimeArgs(), ttnn.RuntimeArgs()
    addresses = [tensor.buffer_address() for tensor in (x, gamma, beta)]
    for core, first, count in shares(split):
        reader[core.x][core.y] = [*addresses, first, count]
        compute[core.x][core.y] = [count]
        writer[core.x][core.y] = [y.buffer_address(), first, count]
    words = accessor(x) + accessor(gamma) + accessor(beta)
    config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True, dst_full_sync_en=True)
    straight = {6, 7, 14}
    config.unpack_to_dest_mode = [
        ttnn.UnpackToDestMode.UnpackToDestFp32 if index in straight else ttnn.UnpackToDestMode.Default
        for index in range(32)
    ]
    kernels = [
        kernel(
            folder / "reader.cpp",
            cores,
            ttnn.ReaderConfigDescriptor(),
            compile_time_args=words,
            runtime_args=reader,
            common_runtime_args=[row_tiles, 1],
            defines=faults(fault),
            compiler_include_paths=include,
        ),
        kernel(
            folder / "compute.cpp",
            cores,
            config,
            runtime_args=compute,
            common_runtime_args=[row_tiles, 1, _bits(1 / columns), _bits(1e-5)],
            defines=faults(fault),
            compiler_include_paths=include,
        ),
        kernel(
            folder / "writer.cpp",
            cores,
            ttnn.WriterConfigDescriptor(),
            compile_time_args=accessor(y),
            runtime_args=writer,
            common_runtime_args=[row_tiles],
            compiler_include_paths=include,
        ),
    ]
    pages = {13: 16, 0: row_tiles, 1: row_tiles, 2: row_tiles, 15: 1, 3: 1, 16: 12}
    cbs = [ring(index, cores, count) for index, count in pages.items()]
    cbs += [ring(index, cores, count, ttnn.float32) for index, count in {8: 2, 6: 1, 7: 1, 14: 1}.items()]
    return [x, gamma, beta, y], ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=cbs)


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
