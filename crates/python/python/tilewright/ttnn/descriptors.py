"""Programs as data: kernels, circular buffers, semaphores and their arguments."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import _sites
from .cores import CoreCoord, CoreRangeSet
from .types import (
    NOC,
    NOC_MODE,
    CoreType,
    DataMovementProcessor,
    DataType,
    MathFidelity,
    Tile,
    UnpackToDestMode,
)

if TYPE_CHECKING:
    from .tensor import Tensor


class RuntimeArgsColProxy:
    """The cores of one column: `column[y]` is that core's list of arguments."""

    def __init__(self, args: dict[CoreCoord, list[int]], x: int) -> None:
        self._args, self._x = args, x

    def __getitem__(self, y: int) -> list[int]:
        core = CoreCoord(self._x, y)
        if core not in self._args:
            raise RuntimeError(f"No runtime args found for core {core}")
        return self._args[core]

    def __setitem__(self, y: int, values: Iterable[int]) -> None:
        self._args[CoreCoord(self._x, y)] = _words(values, "runtime_args")

    def append(self, y: int, value: int) -> None:
        self._args.setdefault(CoreCoord(self._x, y), []).extend(_words([value], "runtime_args"))

    def extend(self, y: int, values: Iterable[int]) -> None:
        self._args.setdefault(CoreCoord(self._x, y), []).extend(_words(values, "runtime_args"))


class RuntimeArgs:
    """The runtime arguments of a kernel, core by core.

    >>> args = RuntimeArgs()
    >>> args[0][1] = [1024, 8]
    >>> args[0][1].append(7)
    >>> args.to_list()
    [((x=0,y=1), [1024, 8, 7])]
    """

    def __init__(self) -> None:
        self._args: dict[CoreCoord, list[int]] = {}

    def __getitem__(self, x: int) -> RuntimeArgsColProxy:
        return RuntimeArgsColProxy(self._args, x)

    def append(self, coord: CoreCoord, values: Iterable[int]) -> None:
        self._args[coord] = _words(values, "runtime_args")

    def get(self, idx: int) -> tuple[CoreCoord, list[int]]:
        return list(self._args.items())[idx]

    def to_list(self) -> list[tuple[CoreCoord, list[int]]]:
        return list(self._args.items())

    def clear(self) -> None:
        self._args.clear()

    def __len__(self) -> int:
        return len(self._args)

    def __iter__(self) -> Iterator[tuple[CoreCoord, list[int]]]:
        return iter(self.to_list())


class TileDescriptor:
    """The shape of a circular buffer's tiles."""

    def __init__(
        self,
        height: int | Tile | TileDescriptor = 32,
        width: int = 32,
        transpose: bool = False,
    ) -> None:
        if isinstance(height, Tile):
            transpose = height.transpose_within_face
            height, width = height.tile_shape
        elif isinstance(height, TileDescriptor):
            height, width, transpose = height.height, height.width, height.transpose
        self.height, self.width, self.transpose = int(height), int(width), bool(transpose)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TileDescriptor) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return f"TileDescriptor({self.height}, {self.width}, transpose={self.transpose})"


class CBFormatDescriptor:
    """One index of a circular buffer: its data format and page size."""

    def __init__(
        self,
        buffer_index: int = 0,
        data_format: DataType = DataType.BFLOAT16,
        page_size: int = 0,
        tile: TileDescriptor | Tile | None = None,
    ) -> None:
        if not isinstance(data_format, DataType):
            raise TypeError(
                "CBFormatDescriptor(): data_format must be a ttnn data type, "
                f"got {type(data_format).__name__}"
            )
        self.buffer_index = _word(buffer_index, "CBFormatDescriptor(): buffer_index", 255)
        self.data_format = data_format
        self.page_size = _word(page_size, "CBFormatDescriptor(): page_size")
        self.tile = TileDescriptor(tile) if isinstance(tile, Tile) else tile

    def __repr__(self) -> str:
        return f"CBFormatDescriptor({self.buffer_index}, {self.data_format}, {self.page_size})"


class CBDescriptor:
    """A circular buffer on cores; several formats share its memory."""

    def __init__(
        self,
        total_size: int = 0,
        core_ranges: CoreRangeSet | None = None,
        format_descriptors: Sequence[CBFormatDescriptor] = (),
    ) -> None:
        self.total_size = _word(total_size, "CBDescriptor(): total_size")
        self.core_ranges = _core_ranges(core_ranges, "CBDescriptor()")
        self.format_descriptors = list(format_descriptors)
        self.buffer: Tensor | None = None
        self.address_offset = 0
        self._site = _sites.caller()

    def has_buffer(self) -> bool:
        return self.buffer is not None

    def set_buffer_from_tensor(self, tensor: Tensor) -> None:
        """Puts the circular buffer into a tensor's memory."""
        self.buffer = tensor

    def buffer_address(self) -> int | None:
        return None if self.buffer is None else self.buffer.buffer_address()

    @property
    def global_circular_buffer(self) -> None:
        return None

    @global_circular_buffer.setter
    def global_circular_buffer(self, value: object) -> None:
        if value is not None:
            raise NotImplementedError("tilewright does not serve global circular buffers")


def cb_descriptor_from_sharded_tensor(
    cb_index: int,
    tensor: Tensor,
    address_offset: int = 0,
    total_size: int = 0,
    core_ranges: CoreRangeSet | None = None,
) -> CBDescriptor:
    """A circular buffer that lies in each core's shard of a tensor."""
    if not tensor.is_sharded():
        raise RuntimeError("cb_descriptor_from_sharded_tensor: the tensor must be sharded")
    tile = TileDescriptor(tensor.tile) if tensor.tile != Tile() else None
    page_size = tensor.buffer_aligned_page_size()
    config = tensor.memory_config()
    shards = config.shard_spec or config.nd_shard_spec
    assert shards is not None
    descriptor = CBDescriptor(
        total_size=total_size or tensor._bank_bytes(),
        core_ranges=core_ranges or shards.grid,
        format_descriptors=[CBFormatDescriptor(cb_index, tensor.dtype, page_size, tile)],
    )
    descriptor.buffer, descriptor.address_offset = tensor, address_offset
    return descriptor


def get_cb_address(descriptor: CBDescriptor) -> int:
    """The L1 address of a circular buffer that was placed."""
    return (descriptor.buffer_address() or 0) + descriptor.address_offset


class ReaderConfigDescriptor:
    """A kernel in the reader's place: processor RISCV_1, network 0."""


class WriterConfigDescriptor:
    """A kernel in the writer's place: processor RISCV_0, network 1."""


class DataMovementConfigDescriptor:
    """A data-movement kernel on a processor and a network of choice."""

    def __init__(
        self,
        processor: DataMovementProcessor = DataMovementProcessor.RISCV_0,
        noc: NOC = NOC.RISCV_0_default,
        noc_mode: NOC_MODE = NOC_MODE.DM_DEDICATED_NOC,
    ) -> None:
        self.processor, self.noc = DataMovementProcessor(processor), NOC(noc)
        self.noc_mode = NOC_MODE(noc_mode)


class ComputeConfigDescriptor:
    """The settings of a compute kernel."""

    def __init__(
        self,
        math_fidelity: MathFidelity = MathFidelity.HiFi4,
        math_approx_mode: bool = False,
        fp32_dest_acc_en: bool = False,
        dst_full_sync_en: bool = False,
        bfp8_pack_precise: bool = False,
    ) -> None:
        if not isinstance(math_fidelity, MathFidelity):
            raise TypeError("ComputeConfigDescriptor(): math_fidelity must be a MathFidelity")
        self.math_fidelity = math_fidelity
        self.math_approx_mode = bool(math_approx_mode)
        self.fp32_dest_acc_en = bool(fp32_dest_acc_en)
        self.dst_full_sync_en = bool(dst_full_sync_en)
        self.bfp8_pack_precise = bool(bfp8_pack_precise)
        self.unpack_to_dest_mode: list[UnpackToDestMode] = []


Config = (
    ReaderConfigDescriptor
    | WriterConfigDescriptor
    | DataMovementConfigDescriptor
    | ComputeConfigDescriptor
)


class KernelDescriptor:
    """A kernel's source, where it runs and with what arguments."""

    class SourceType(enum.IntEnum):
        """Whether `kernel_source` is a path or the text itself."""

        FILE_PATH = 0
        SOURCE_CODE = 1

    def __init__(
        self,
        kernel_source: str = "",
        source_type: KernelDescriptor.SourceType = SourceType.FILE_PATH,
        core_ranges: CoreRangeSet | None = None,
        compile_time_args: Iterable[int] = (),
        named_compile_time_args: Iterable[tuple[str, int]] = (),
        defines: Iterable[tuple[str, str]] = (),
        runtime_args: Any = (),
        common_runtime_args: Iterable[int] = (),
        opt_level: object = None,
        config: Config | None = None,
        compiler_include_paths: Iterable[str] = (),
    ) -> None:
        if config is not None and not isinstance(config, Config):
            raise TypeError(f"KernelDescriptor(): config is no descriptor: {config!r}")
        self.kernel_source = str(kernel_source)
        self.source_type = KernelDescriptor.SourceType(source_type)
        self.core_ranges = _core_ranges(core_ranges, "KernelDescriptor()")
        self.compile_time_args = _words(compile_time_args, "compile_time_args")
        self.named_compile_time_args = list(
            named_compile_time_args.items()
            if isinstance(named_compile_time_args, dict)
            else named_compile_time_args
        )
        self.defines = list(defines.items() if isinstance(defines, dict) else defines)
        self.runtime_args = runtime_args
        self.common_runtime_args = _words(common_runtime_args, "common_runtime_args")
        self.opt_level, self.config = opt_level, config
        self.compiler_include_paths = [str(path) for path in compiler_include_paths]
        self._site = _sites.caller()

    @property
    def runtime_args(self) -> RuntimeArgs:
        return self._runtime_args

    @runtime_args.setter
    def runtime_args(self, given: Any) -> None:
        self._runtime_args = _runtime_args(given)


class SemaphoreDescriptor:
    """A semaphore on cores, with its first value."""

    def __init__(
        self,
        id: int = 0,
        core_type: CoreType = CoreType.WORKER,
        core_ranges: CoreRangeSet | None = None,
        initial_value: int = 0,
    ) -> None:
        self.id = _word(id, "SemaphoreDescriptor(): id")
        self.core_type = CoreType(core_type)
        self.core_ranges = _core_ranges(core_ranges, "SemaphoreDescriptor()")
        self.initial_value = _word(initial_value, "SemaphoreDescriptor(): initial_value")


class ProgramDescriptor:
    """Kernels, semaphores and circular buffers: all that `generic_op` runs."""

    def __init__(
        self,
        kernels: Sequence[KernelDescriptor] = (),
        semaphores: Sequence[SemaphoreDescriptor] = (),
        cbs: Sequence[CBDescriptor] = (),
    ) -> None:
        _check_all(kernels, KernelDescriptor, "kernels")
        _check_all(semaphores, SemaphoreDescriptor, "semaphores")
        _check_all(cbs, CBDescriptor, "cbs")
        self.kernels, self.semaphores, self.cbs = list(kernels), list(semaphores), list(cbs)
        self.custom_program_hash: int | None = None


def merge_program_descriptors(descriptors: Sequence[ProgramDescriptor]) -> ProgramDescriptor:
    """One program with the parts of several."""
    return ProgramDescriptor(
        kernels=[kernel for one in descriptors for kernel in one.kernels],
        semaphores=[semaphore for one in descriptors for semaphore in one.semaphores],
        cbs=[cb for one in descriptors for cb in one.cbs],
    )


def _word(given: object, what: str, most: int = 0xFFFF_FFFF) -> int:
    if isinstance(given, float) or not hasattr(given, "__index__"):
        raise TypeError(f"{what} must be an integer, got {given!r}")
    value = given.__index__()  # type: ignore[attr-defined]
    if not 0 <= value <= most:
        raise TypeError(f"{what} must be in 0..={most}, got {value}")
    return value


def _words(given: Iterable[object], what: str) -> list[int]:
    return [_word(value, f"KernelDescriptor(): {what}") for value in given]


def _core_ranges(given: object, what: str) -> CoreRangeSet:
    if given is None:
        return CoreRangeSet()
    if not isinstance(given, CoreRangeSet):
        raise TypeError(f"{what}: core_ranges must be a CoreRangeSet, got {given!r}")
    return given


def _runtime_args(given: Any) -> RuntimeArgs:
    """Also takes pairs of core and values, and nested lists by column and row."""
    if isinstance(given, RuntimeArgs):
        return given
    args = RuntimeArgs()
    for place, part in enumerate(given):
        if isinstance(part, (tuple, list)) and len(part) == 2 and isinstance(part[0], CoreCoord):
            args.append(part[0], part[1])
        else:
            for y, values in enumerate(part):
                args[place][y] = values
    return args


def _check_all(given: Sequence[object], kind: type, what: str) -> None:
    for one in given:
        if not isinstance(one, kind):
            raise TypeError(f"ProgramDescriptor(): {what} must be {kind.__name__}s, got {one!r}")
