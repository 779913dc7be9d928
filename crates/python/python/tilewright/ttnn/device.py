"""The simulated device: its memory, its grid, and how it is opened."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import sys
import weakref
from collections.abc import Iterator
from typing import Any

from .. import _native, _runner
from .._memory import Shared
from .._settings import current
from .cores import CoreCoord, CoreGrid
from .environment import DisableMemoryReports, DispatchCoreType, EnableMemoryReports
from .tensor import TensorSpec
from .types import Arch


class Buffer:
    """A tensor's memory on a device, and its contents in the order of logical pages."""

    def __init__(self, device: Device, spec: TensorSpec) -> None:
        from .. import _description

        parts = {"name": "", "role": "other", "address": 0} | _description.tensor_parts(spec)
        placed = json.loads(device._native.allocate(json.dumps(parts)))
        self.device, self.spec = device, spec
        self.address: int = placed["address"]
        self.page_bytes: int = placed["page_bytes"]
        self.aligned_page_bytes: int = placed["aligned_page_bytes"]
        self.pages: int = placed["pages"]
        self.bank_bytes: int = placed["bank_bytes"]
        self.accessor_words: list[int] = placed["accessor_words"]
        self.memory = Shared(placed["bytes"])
        self.is_live, self.is_filled = True, False
        device._buffers.add(self)

    def write(self, contents: bytes) -> None:
        """Replaces the contents."""
        if len(contents) != self.memory.size:
            raise RuntimeError(
                f"the tensor takes {self.memory.size} bytes on the device, got {len(contents)}"
            )
        self.memory.view[:] = contents
        self.is_filled = True

    def read(self) -> bytes:
        """The contents; zeros if nothing has written them."""
        return bytes(self.memory.view)

    def free(self) -> None:
        """Gives the device's memory back."""
        if not self.is_live:
            return
        self.is_live = False
        self.device._buffers.discard(self)
        self.device._native.free(self.address, self.spec.memory_config.buffer_type.name.lower())
        _runner.forget(self.memory.key)
        self.memory.close()

    def __del__(self, is_finalizing: Any = sys.is_finalizing) -> None:
        if not is_finalizing() and getattr(self, "is_live", False):
            self.free()


class Device:
    """One simulated card.

    >>> device = open_device(device_id=0)
    >>> device.compute_with_storage_grid_size()
    (x=8,y=8)
    >>> close_device(device)
    """

    def __init__(self, device_id: int = 0, **options: Any) -> None:
        self.product = current.device
        """The product's name, as `tilewright.settings(device=...)` had it."""
        self._native = _native.Device(self.product)
        self._id, self._options = device_id, options
        self._buffers: weakref.WeakSet[Buffer] = weakref.WeakSet()
        self._programs: set[int] = set()
        self.is_open = True
        self._runs = 0
        self._unread: collections.deque[tuple[int, int, int]] = collections.deque(maxlen=10_000)
        """Runs that the profiler has not read: number, cycles, cores."""

    def _allocate(self, spec: TensorSpec) -> Buffer:
        if not self.is_open:
            raise RuntimeError("the device is closed")
        return Buffer(self, spec)

    def _note_run(self, cycles: int, cores: int) -> None:
        self._runs += 1
        self._unread.append((self._runs, cycles, cores))

    def id(self) -> int:
        return self._id

    def get_device_ids(self) -> list[int]:
        return [self._id]

    def get_num_devices(self) -> int:
        return 1

    def get_devices(self) -> list[Device]:
        return [self]

    @property
    def shape(self) -> tuple[int, int]:
        return (1, 1)

    def arch(self) -> Arch:
        return Arch(self._native.arch())

    def compute_with_storage_grid_size(self) -> CoreCoord:
        columns, rows = self._native.grid()
        return CoreCoord(columns, rows)

    @property
    def core_grid(self) -> CoreGrid:
        columns, rows = self._native.grid()
        return CoreGrid(x=columns, y=rows)

    def logical_grid_size(self) -> CoreCoord:
        return self.compute_with_storage_grid_size()

    def dram_grid_size(self) -> CoreCoord:
        return CoreCoord(self._native.dram_banks(), 1)

    def worker_core_from_logical_core(self, logical_core: CoreCoord) -> CoreCoord:
        """The coordinates that kernels use for a core in addresses on the network."""
        size = self.compute_with_storage_grid_size()
        if logical_core.x >= size.x or logical_core.y >= size.y:
            raise RuntimeError(f"core {logical_core} is outside the grid of {size.x} x {size.y}")
        return logical_core

    def l1_size_per_core(self) -> int:
        return self._native.l1_bytes()

    def num_program_cache_entries(self) -> int:
        return len(self._programs)

    def enable_program_cache(self) -> None:
        """Does nothing: compiled kernels are always kept."""

    def disable_and_clear_program_cache(self) -> None:
        self._programs.clear()

    def clear_program_cache(self) -> None:
        self._programs.clear()

    def set_program_cache_misses_allowed(self, allowed: bool) -> None:
        """Does nothing: compiled kernels are always kept."""

    def close(self) -> None:
        """Frees everything; tensors of the device must not be used any more."""
        for buffer in list(self._buffers):
            buffer.free()
        self.is_open = False

    def __repr__(self) -> str:
        return f"<tilewright device {self._id}, {self.product}>"


MeshDevice = Device
_default: Device | None = None


def open_device(device_id: int = 0, **options: Any) -> Device:
    """Opens the simulated device; options of real ones are accepted and have no effect."""
    if device_id != 0:
        raise RuntimeError(f"device {device_id} does not exist; there is one device, 0")
    return Device(device_id, **options)


def close_device(device: Device) -> None:
    """Frees all that is on the device."""
    device.close()


@contextlib.contextmanager
def manage_device(device_id: int = 0) -> Iterator[Device]:
    """A device that is closed in the end."""
    device = open_device(device_id)
    try:
        yield device
    finally:
        close_device(device)


def open_mesh_device(mesh_shape: Any = (1, 1), **options: Any) -> Device:
    """The one device as a mesh of one."""
    sizes = tuple(mesh_shape)
    if any(size != 1 for size in sizes):
        raise NotImplementedError(f"tilewright has one device; a mesh of {sizes} is not served")
    return Device(0, **options)


def CreateDevice(device_id: int = 0, **options: Any) -> Device:
    return open_device(device_id, **options)


def CloseDevice(device: Device) -> None:
    close_device(device)


def close_mesh_device(device: Device) -> None:
    close_device(device)


def GetDefaultDevice() -> Device | None:
    return _default


def SetDefaultDevice(device: Device | None) -> None:
    global _default
    _default = device


def GetNumAvailableDevices() -> int:
    return 1


def GetNumPCIeDevices() -> int:
    return 1


def GetPCIeDeviceID(device_id: int) -> int:
    return device_id


def get_num_devices() -> int:
    return 1


def get_device_ids() -> list[int]:
    return [0]


def synchronize_device(device: Device, *args: Any, **kwargs: Any) -> None:
    """Does nothing: a program is done when `generic_op` returns."""


def get_arch_name() -> str:
    return os.environ.get("ARCH_NAME", "blackhole" if is_blackhole() else "wormhole_b0")


def is_wormhole_b0(device: Device | None = None) -> bool:
    return (device or Device()).arch() == Arch.WORMHOLE_B0


def is_blackhole(device: Device | None = None) -> bool:
    return (device or Device()).arch() == Arch.BLACKHOLE


def get_l1_alignment() -> int:
    """Bytes that addresses in L1 are multiples of."""
    return _native.l1_alignment(current.device)


def get_dram_alignment() -> int:
    """Bytes that addresses in DRAM are multiples of."""
    return _native.dram_alignment(current.device)


def get_max_worker_l1_unreserved_size() -> int:
    """Bytes of L1 that buffers may take on each core."""
    return _native.l1_unreserved_bytes(current.device)
