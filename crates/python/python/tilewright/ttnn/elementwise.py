"""Elementwise operations on the simulated device, with the device's bits.

They run kernels of this package (`tilewright/kernels`). Operands have the same shape and type,
in tiles; anything else is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .cores import CoreRangeSet, corerange_to_cores, split_work_to_cores
from .descriptors import (
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    KernelDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    RuntimeArgs,
    WriterConfigDescriptor,
)
from .memory import MemoryConfig
from .program import TensorAccessorArgs, generic_op
from .tensor import Tensor, TensorSpec, allocate_tensor_on_device
from .types import DataType, Layout, UnpackToDestMode, tile_size

_KERNELS = Path(__file__).parents[1] / "kernels"
_UNARY_FOLDER = "api/compute/eltwise_unary"
#: Name to header below eltwise_unary, and the name of the vector function if it differs.
UNARY = {
    "exp": ("exp.h", "exp"),
    "log": (None, "log"),
    "sqrt": ("sqrt.h", "sqrt"),
    "rsqrt": ("rsqrt.h", "rsqrt"),
    "reciprocal": ("recip.h", "recip"),
    "sigmoid": (None, "sigmoid"),
    "tanh": (None, "tanh"),
    "gelu": ("gelu.h", "gelu"),
    "relu": ("relu.h", "relu"),
    "silu": (None, "silu"),
    "square": (None, "square"),
    "abs": (None, "abs"),
    "neg": ("negative.h", "negative"),
    "sin": ("trigonometry.h", "sin"),
    "cos": ("trigonometry.h", "cos"),
}
#: Name to the matrix unit's verb, for 16-bit types, and the vector unit's.
BINARY = {
    "add": ("add", "add_binary_tile"),
    "subtract": ("sub", "sub_binary_tile"),
    "multiply": ("mul", "mul_binary_tile"),
}


_SHORT = {"sub": "subtract", "mul": "multiply"}


def unary(name: str) -> Callable[..., Tensor]:
    """The operation `ttnn.<name>(x)`."""
    header, verb = UNARY[name]
    defines = [("UNARY_INIT", f"{verb}_tile_init()"), ("UNARY_TILE", f"{verb}_tile(0)")]
    if header is not None:
        defines.append(("OPERATION_HEADER", f'"{_UNARY_FOLDER}/{header}"'))

    def operation(input_tensor: Tensor, *, memory_config: MemoryConfig | None = None) -> Tensor:
        return _run(name, [input_tensor], defines, memory_config)

    return _named(operation, name, f"{name} of each element, with the device's bits.")


def binary(name: str) -> Callable[..., Tensor]:
    """The operation `ttnn.<name>(x, y)`."""
    matrix, vector = BINARY[name]

    def operation(
        input_tensor_a: Tensor,
        input_tensor_b: Tensor,
        *,
        memory_config: MemoryConfig | None = None,
    ) -> Tensor:
        if input_tensor_a.dtype == DataType.FLOAT32:
            defines = [("BINARY_INIT", f"{vector}_init"), ("SFPU_BINARY_TILE", vector)]
        else:
            defines = [("BINARY_INIT", f"{matrix}_init"), ("BINARY_TILES", f"{matrix}_tiles")]
        return _run(name, [input_tensor_a, input_tensor_b], defines, memory_config)

    return _named(operation, name, f"{name}, element by element, with the device's bits.")


def _named(operation: Callable[..., Tensor], name: str, text: str) -> Callable[..., Tensor]:
    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = text
    return operation


def _run(
    name: str, operands: list[Tensor], defines: list[tuple[str, str]], config: MemoryConfig | None
) -> Tensor:
    first = operands[0]
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise NotImplementedError(f"tilewright serves ttnn.{name} for tensors only")
        if operand.layout != Layout.TILE or tuple(operand.shape) != tuple(first.shape):
            raise NotImplementedError(
                f"tilewright serves ttnn.{name} for tensors in tiles that have one shape"
            )
    device = first.device()
    if device is None:
        raise RuntimeError(f"ttnn.{name}: the tensor must be on a device")
    spec = TensorSpec(first.shape, first.dtype, first.layout, config or first.memory_config())
    output = allocate_tensor_on_device(spec, device)
    return generic_op([*operands, output], _program(operands, output, defines))


def _program(
    operands: list[Tensor], output: Tensor, defines: list[tuple[str, str]]
) -> ProgramDescriptor:
    device = output.device()
    assert device is not None
    split = split_work_to_cores(device.compute_with_storage_grid_size(), output.buffer_num_pages())
    cores = split[1]
    reader, compute, writer, start = RuntimeArgs(), RuntimeArgs(), RuntimeArgs(), 0
    for group, tiles in ((split[2], split[4]), (split[3], split[5])):
        for core in corerange_to_cores(group):
            addresses = [operand.buffer_address() for operand in operands]
            reader[core.x][core.y] = [start, tiles, *addresses]
            compute[core.x][core.y] = [tiles]
            writer[core.x][core.y] = [start, tiles, output.buffer_address()]
            start += tiles
    count = ("OPERANDS", str(len(operands)))
    words = [word for one in operands for word in TensorAccessorArgs(one).get_compile_time_args()]
    kernels = [
        KernelDescriptor(
            kernel_source=str(_KERNELS / "read_operands.cpp"),
            core_ranges=cores,
            compile_time_args=words,
            runtime_args=reader,
            defines=[count],
            config=ReaderConfigDescriptor(),
        ),
        KernelDescriptor(
            kernel_source=str(_KERNELS / "elementwise.cpp"),
            core_ranges=cores,
            runtime_args=compute,
            defines=[count, *defines],
            config=_config(output.dtype),
        ),
        KernelDescriptor(
            kernel_source=str(_KERNELS / "write_result.cpp"),
            core_ranges=cores,
            compile_time_args=TensorAccessorArgs(output).get_compile_time_args(),
            runtime_args=writer,
            config=WriterConfigDescriptor(),
        ),
    ]
    places = [(index, one.dtype) for index, one in enumerate(operands)] + [(2, output.dtype)]
    cbs = [_ring(index, cores, dtype) for index, dtype in places]
    return ProgramDescriptor(kernels=kernels, semaphores=[], cbs=cbs)


def _ring(index: int, cores: CoreRangeSet, dtype: DataType) -> CBDescriptor:
    size = tile_size(dtype)
    return CBDescriptor(2 * size, cores, [CBFormatDescriptor(index, dtype, size)])


def _config(dtype: DataType) -> ComputeConfigDescriptor:
    is_wide = dtype in (DataType.FLOAT32, DataType.INT32, DataType.UINT32)
    config = ComputeConfigDescriptor(fp32_dest_acc_en=is_wide)
    if is_wide:
        config.unpack_to_dest_mode = [UnpackToDestMode.UnpackToDestFp32] * 2
    return config


def served(module: dict[str, Any]) -> None:
    """Adds all of them to a module."""
    module.update({name: unary(name) for name in UNARY})
    module.update({name: binary(name) for name in BINARY})
    module.update({short: module[name] for short, name in _SHORT.items()})
