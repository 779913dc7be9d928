"""The program factory of operation_name: a unit of work is a row of tiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ttnn

from .descriptors import Kernel, Ring, accessor, program

KERNELS = Path(__file__).resolve().parent / "kernels"
RINGS = {0: Ring(2), 1: Ring(1), 16: Ring(2)}
"""The circular buffers: tiles of x, the scaler of the sums, and the output."""


def create(tensors: Sequence[Any], output: Any, attributes: Any, kernels: Path = KERNELS) -> Any:
    """The program for these tensors."""
    (x,) = tensors
    row_tiles = x.shape[-1] // 32
    reader = Kernel(
        kernels / "reader.cpp",
        ttnn.ReaderConfigDescriptor(),
        lambda first, rows: [x.buffer_address(), first, rows],
        [row_tiles, *accessor(x)],
    )
    compute = Kernel(
        kernels / "compute.cpp",
        # Sums of many values need more bits than bf16 has.
        ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True),
        lambda first, rows: [rows],
        [row_tiles],
    )
    writer = Kernel(
        kernels / "writer.cpp",
        ttnn.WriterConfigDescriptor(),
        lambda first, rows: [output.buffer_address(), first, rows],
        [output.buffer_page_size(), 1, *accessor(output)],
    )
    rows = output.buffer_num_pages()
    return program(output.device(), rows, [reader, compute, writer], RINGS)
