"""The program factory of operation_name: a unit of work is a tile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ttnn

from .descriptors import Kernel, Ring, accessor, program

KERNELS = Path(__file__).resolve().parent / "kernels"
RINGS = {0: Ring(2), 1: Ring(2), 16: Ring(2)}
"""The circular buffers: a, b and the output, double-buffered."""


def create(tensors: Sequence[Any], output: Any, attributes: Any, kernels: Path = KERNELS) -> Any:
    """The program for these tensors."""
    a, b = tensors
    reader = Kernel(
        kernels / "reader.cpp",
        ttnn.ReaderConfigDescriptor(),
        lambda first, tiles: [a.buffer_address(), b.buffer_address(), first, tiles],
        [*accessor(a), *accessor(b)],
    )
    compute = Kernel(
        kernels / "compute.cpp", ttnn.ComputeConfigDescriptor(), lambda first, tiles: [tiles]
    )
    writer = Kernel(
        kernels / "writer.cpp",
        ttnn.WriterConfigDescriptor(),
        lambda first, tiles: [output.buffer_address(), first, tiles],
        [output.buffer_page_size(), 1, *accessor(output)],
    )
    tiles = output.buffer_num_pages()
    return program(output.device(), tiles, [reader, compute, writer], RINGS)
