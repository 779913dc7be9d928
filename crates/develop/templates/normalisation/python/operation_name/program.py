"""The program factory of operation_name: a unit of work is a tile-row of 32 sticks."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ttnn

from .descriptors import Kernel, Ring, accessor, program

KERNELS = Path(__file__).resolve().parent / "kernels"


def rings(row_tiles: int) -> dict[int, Ring]:
    """The circular buffers. Sticks have pages of a tile, too: 32 of them fill a row of tiles."""
    wide = ttnn.float32
    return {
        0: Ring(2 * row_tiles),  # sticks of x
        1: Ring(row_tiles),  # x as tiles
        2: Ring(1),  # the scaler of the sums
        4: Ring(row_tiles),  # the stick of gamma
        5: Ring(row_tiles),  # the stick of beta
        6: Ring(row_tiles),  # gamma as tiles
        7: Ring(row_tiles),  # beta as tiles
        16: Ring(2 * row_tiles),  # sticks of the output, a tile at a time
        24: Ring(row_tiles, wide),  # x - mean
        25: Ring(1, wide),  # mean
        26: Ring(row_tiles, wide),  # squares
        27: Ring(1, wide),  # 1/std
        28: Ring(row_tiles, wide),  # (x - mean) / std
        29: Ring(row_tiles, wide),  # the same times gamma
    }


def create(tensors: Sequence[Any], output: Any, attributes: Any, kernels: Path = KERNELS) -> Any:
    """The program for these tensors."""
    x, gamma, beta = tensors
    width = x.shape[-1]
    row_tiles = width // 32
    addresses = [tensor.buffer_address() for tensor in tensors]
    reader = Kernel(
        kernels / "reader.cpp",
        ttnn.ReaderConfigDescriptor(),
        lambda first, rows: [*addresses, first, rows],
        [row_tiles, *accessor(x), *accessor(gamma), *accessor(beta)],
    )
    compute = Kernel(
        kernels / "compute.cpp",
        ttnn.ComputeConfigDescriptor(
            math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True
        ),
        lambda first, rows: [rows],
        [row_tiles, _bits(1 / width), _bits(attributes.epsilon)],
    )
    writer = Kernel(
        kernels / "writer.cpp",
        ttnn.WriterConfigDescriptor(),
        lambda first, rows: [output.buffer_address(), first, rows],
        [2 * width, 32, *accessor(output)],
    )
    rows = output.buffer_num_pages() // 32
    return program(output.device(), rows, [reader, compute, writer], rings(row_tiles))


def _bits(value: float) -> int:
    """The bits of a value as fp32."""
    return struct.unpack("<I", struct.pack("<f", value))[0]
