"""Memory of tensors that this process shares with its worker."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
import sys
from collections.abc import Callable
from typing import TypeVar

_keys = itertools.count(1)
_Places = dict[str, tuple[int, int]]
_Given = TypeVar("_Given")


def with_places(held: dict[str, bytearray], use: Callable[[_Places], _Given]) -> _Given:
    """Calls something with addresses and sizes of bytes, which stay where they are meanwhile."""
    views = {name: (ctypes.c_char * len(one)).from_buffer(one) for name, one in held.items()}
    return use({name: (ctypes.addressof(one), len(held[name])) for name, one in views.items()})


class Shared:
    """Bytes in an anonymous file, mapped here and, by its descriptor, in the worker."""

    def __init__(self, size: int) -> None:
        self.key, self.size = next(_keys), size
        self.descriptor = os.memfd_create("tilewright", os.MFD_CLOEXEC)
        os.ftruncate(self.descriptor, max(size, 1))
        self._map = mmap.mmap(self.descriptor, max(size, 1))
        self.view = memoryview(self._map)[:size]

    @property
    def place(self) -> tuple[int, int]:
        """Address and size in this process."""
        return ctypes.addressof(ctypes.c_char.from_buffer(self._map)), self.size

    def close(self) -> None:
        """Gives the memory back once nobody has a view of it any more."""
        if self.descriptor >= 0:
            self.view.release()
            os.close(self.descriptor)
            self.descriptor = -1
            try:
                self._map.close()
            except BufferError:
                pass  # An array still looks at it; the map goes with that array.

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_finalizing() and getattr(self, "descriptor", -1) >= 0:
            os.close(self.descriptor)
