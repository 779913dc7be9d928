"""From ttnn's descriptors to the program description that the native module runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _layout, _sources
from .ttnn.cores import CoreRangeSet
from .ttnn.descriptors import (
    CBDescriptor,
    ComputeConfigDescriptor,
    Config,
    DataMovementConfigDescriptor,
    KernelDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    SemaphoreDescriptor,
    WriterConfigDescriptor,
)
from .ttnn.memory import BufferType, MemoryConfig, TensorMemoryLayout
from .ttnn.tensor import Tensor, TensorSpec
from .ttnn.types import NOC_MODE, CoreType, Layout, MathFidelity, Tile, UnpackToDestMode

Json = dict[str, Any]


def program(
    name: str, descriptor: ProgramDescriptor, tensors: Sequence[tuple[str, str, Tensor]]
) -> Json:
    """The description of a program; `tensors` are name, role and tensor."""
    names = {id(tensor._buffer): tensor_name for tensor_name, _, tensor in tensors}
    kernels = [_kernel(place, one) for place, one in enumerate(descriptor.kernels)]
    return {
        "name": name,
        "kernels": kernels,
        "cbs": [_circular_buffer(cb, names) for cb in descriptor.cbs],
        "semaphores": [_semaphore(one) for one in descriptor.semaphores],
        "tensors": [_tensor(*one) for one in tensors],
    }


def tensor_parts(spec: TensorSpec) -> Json:
    """Shape, layout, format and memory of a tensor."""
    if spec.tile != Tile():
        raise NotImplementedError(f"tilewright does not serve tensors in tiles of {spec.tile}")
    # A description has no padding beyond whole tiles: there it counts as values.
    return {
        "shape": list(spec._padded or spec.shape) or [1],
        "layout": "tile" if spec.layout == Layout.TILE else "row_major",
        "data_format": _layout.FORMAT_NAME[spec.dtype],
        "memory": _memory(spec.memory_config),
    }


def _tensor(name: str, role: str, tensor: Tensor) -> Json:
    parts = tensor_parts(tensor.spec)
    return {"name": name, "role": role, "address": tensor.buffer_address(), **parts}


def _memory(config: MemoryConfig) -> Json:
    storage = {BufferType.DRAM: "dram", BufferType.L1: "l1"}.get(config.buffer_type)
    if storage is None:
        raise NotImplementedError(f"tilewright does not serve {config.buffer_type!r}")
    if config.memory_layout == TensorMemoryLayout.INTERLEAVED:
        return {"buffer_type": storage}
    spec, nd_spec = config.shard_spec, config.nd_shard_spec
    if spec is None and nd_spec is None:
        raise RuntimeError("MemoryConfig: a sharded tensor needs a shard_spec")
    shards = spec or nd_spec
    assert shards is not None
    return {
        "buffer_type": storage,
        "shards": {
            "memory_layout": config.memory_layout.name.lower(),
            "grid": _ranges(shards.grid),
            "shape": list(spec.shape if spec is not None else nd_spec.shard_shape),  # type: ignore
            "orientation": shards.orientation.name.lower(),
        },
    }


def _kernel(place: int, kernel: KernelDescriptor) -> Json:
    if kernel.config is None:
        raise RuntimeError(f"kernel {kernel.kernel_source} has no config")
    path = _file(kernel)
    described: Json = {
        "name": _kernel_name(place, kernel, path),
        "source": {"file": str(path)},
        "core_ranges": _ranges(kernel.core_ranges),
        "config": _config(kernel.config),
        "compile_time_args": kernel.compile_time_args,
        "named_compile_time_args": {name: int(value) for name, value in _pairs(kernel)},
        "defines": {str(name): str(value) for name, value in kernel.defines},
        "compiler_include_paths": [
            *kernel.compiler_include_paths,
            *_sources.include_paths(path),
        ],
        "common_runtime_args": list(kernel.common_runtime_args),
        "runtime_args": [
            {"core": [core.x, core.y], "args": args}
            for core, args in kernel.runtime_args
            if args or kernel.core_ranges.contains(core)
        ],
    }
    if kernel._site is not None:
        described["site"] = kernel._site
    return described


def _pairs(kernel: KernelDescriptor) -> list[tuple[str, int]]:
    return list(kernel.named_compile_time_args)


def _file(kernel: KernelDescriptor) -> Path:
    if kernel.source_type == KernelDescriptor.SourceType.SOURCE_CODE:
        return _sources.keep_text(kernel.kernel_source, kernel._site)
    return _sources.find_kernel(kernel.kernel_source)


def _kernel_name(place: int, kernel: KernelDescriptor, path: Path) -> str:
    is_text = kernel.source_type == KernelDescriptor.SourceType.SOURCE_CODE
    return f"kernel {place}" if is_text else path.stem


def _config(config: Config) -> Json:
    if isinstance(config, ReaderConfigDescriptor):
        return {"kind": "reader"}
    if isinstance(config, WriterConfigDescriptor):
        return {"kind": "writer"}
    if isinstance(config, DataMovementConfigDescriptor):
        is_dynamic = config.noc_mode == NOC_MODE.DM_DYNAMIC_NOC
        return {
            "kind": "data_movement",
            "processor": f"riscv_{int(config.processor)}",
            "noc": f"noc_{int(config.noc)}",
            "noc_mode": "dynamic" if is_dynamic else "dedicated",
        }
    return _compute(config)


def _compute(config: ComputeConfigDescriptor) -> Json:
    if config.math_fidelity == MathFidelity.Invalid:
        raise RuntimeError("ComputeConfigDescriptor: math_fidelity is Invalid")
    modes = enumerate(config.unpack_to_dest_mode)
    return {
        "kind": "compute",
        "math_fidelity": config.math_fidelity.name,
        "fp32_dest_acc_en": config.fp32_dest_acc_en,
        "dst_full_sync_en": config.dst_full_sync_en,
        "math_approx_mode": config.math_approx_mode,
        "bfp8_pack_precise": config.bfp8_pack_precise,
        "unpack_to_dest_fp32": [
            index for index, mode in modes if mode == UnpackToDestMode.UnpackToDestFp32
        ],
    }


def _circular_buffer(cb: CBDescriptor, names: dict[int, str]) -> Json:
    described: Json = {
        "total_size": cb.total_size,
        "core_ranges": _ranges(cb.core_ranges),
        "format_descriptors": [
            {
                "buffer_index": one.buffer_index,
                "data_format": _layout.FORMAT_NAME[one.data_format],
                "page_size": one.page_size,
                **({} if one.tile is None else {"tile": [one.tile.height, one.tile.width]}),
            }
            for one in cb.format_descriptors
        ],
    }
    if cb.buffer is not None:
        name = names.get(id(cb.buffer._buffer))
        if name is None:
            raise RuntimeError("a circular buffer lies in a tensor that was deallocated")
        described["placement"] = {"tensor": {"name": name, "address_offset": cb.address_offset}}
    if cb._site is not None:
        described["site"] = cb._site
    return described


def _semaphore(semaphore: SemaphoreDescriptor) -> Json:
    if semaphore.core_type != CoreType.WORKER:
        raise NotImplementedError(f"tilewright does not serve semaphores on {semaphore.core_type!r}")
    return {
        "id": semaphore.id,
        "core_ranges": _ranges(semaphore.core_ranges),
        "initial_value": semaphore.initial_value,
    }


def _ranges(cores: CoreRangeSet) -> list[Json]:
    return [
        {"start": [part.start.x, part.start.y], "end": [part.end.x, part.end.y]}
        for part in cores.ranges()
    ]
