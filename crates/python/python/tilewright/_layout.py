"""Values to bytes and back: element types, padding and the order of tiles.

Bytes are in the order of a tensor's logical pages: rows one after another, or tiles one after
another with their faces. Where pages lie on the device is the native module's business.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from . import _native
from .ttnn.types import DataType, Layout, Shape

NUMPY_TYPE: dict[DataType, Any] = {
    DataType.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    DataType.FLOAT32: np.dtype(np.float32),
    DataType.UINT32: np.dtype(np.uint32),
    DataType.INT32: np.dtype(np.int32),
    DataType.UINT16: np.dtype(np.uint16),
    DataType.UINT8: np.dtype(np.uint8),
    DataType.INT8: np.dtype(np.int8),
    DataType.FP8_E4M3: np.dtype(ml_dtypes.float8_e4m3fn),
    DataType.BFLOAT8_B: np.dtype(np.float32),
    DataType.BFLOAT4_B: np.dtype(np.float32),
}
FORMAT_NAME = {
    DataType.BFLOAT16: "Float16_b",
    DataType.FLOAT32: "Float32",
    DataType.UINT32: "UInt32",
    DataType.INT32: "Int32",
    DataType.UINT16: "UInt16",
    DataType.UINT8: "UInt8",
    DataType.INT8: "Int8",
    DataType.FP8_E4M3: "Fp8_e4m3",
    DataType.BFLOAT8_B: "Bfp8_b",
    DataType.BFLOAT4_B: "Bfp4_b",
}
BLOCK_FORMATS = (DataType.BFLOAT8_B, DataType.BFLOAT4_B)


def to_elements(values: np.ndarray, dtype: DataType) -> np.ndarray:
    """The values in a tensor's element type; floats become integers by truncation, as in ttnn."""
    wanted = NUMPY_TYPE[dtype]
    if values.dtype == wanted:
        return np.ascontiguousarray(values)
    if np.issubdtype(wanted, np.integer):
        return np.ascontiguousarray(values.astype(np.float64).astype(np.int64).astype(wanted))
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values.astype(np.float32).astype(wanted))


def padded_shape(shape: Shape, layout: Layout, tile: tuple[int, int] = (32, 32)) -> Shape:
    """The sizes with the last two rounded up to whole tiles, for tensors in tiles; these have two
    sizes at least, others one (tt-metal's `TensorLayout::compute_padded_shape`)."""
    if layout == Layout.ROW_MAJOR:
        return shape if len(shape) else Shape([1])
    sizes = [1] * (2 - len(shape)) + list(shape)
    return Shape([*sizes[:-2], _up(sizes[-2], tile[0]), _up(sizes[-1], tile[1])])


def padded(values: np.ndarray, shape: Shape, fill: float) -> np.ndarray:
    """The values in a larger shape; whatever is new holds `fill`."""
    if values.shape == tuple(shape):
        return values
    larger = np.full(tuple(shape), fill, dtype=values.dtype)
    larger[within(len(shape), values.shape)] = values
    return larger


def within(rank: int, shape: Sequence[int]) -> tuple[Any, ...]:
    """Where values of this shape lie in padded ones, which may have more sizes."""
    return (*[0] * (rank - len(shape)), *map(slice, shape), ...)


def encode(values: np.ndarray, dtype: DataType, layout: Layout) -> bytes:
    """Elements as the bytes of a tensor; padding is zero."""
    if layout == Layout.ROW_MAJOR:
        if dtype in BLOCK_FORMATS:
            raise RuntimeError(f"{dtype!r} tensors must be in TILE layout")
        return values.tobytes()
    tiles = _to_tiles(values)
    if dtype in BLOCK_FORMATS:
        return _native.encode_blocks(FORMAT_NAME[dtype], tiles.astype(np.float32).tobytes())
    return tiles.tobytes()


def decode(contents: bytes | memoryview, shape: Shape, dtype: DataType, layout: Layout) -> np.ndarray:
    """A tensor's bytes as values; the result owns its memory."""
    if dtype in BLOCK_FORMATS:
        contents = _native.decode_blocks(FORMAT_NAME[dtype], bytes(contents))
    elements = np.frombuffer(contents, dtype=NUMPY_TYPE[dtype])
    if layout == Layout.ROW_MAJOR:
        return elements.reshape(tuple(shape)).copy()
    return _from_tiles(elements, shape)


def _to_tiles(values: np.ndarray) -> np.ndarray:
    sizes = values.shape if values.ndim >= 2 else (1, values.size)
    matrices = values.reshape(-1, *sizes[-2:])
    rows, columns = (_up(size, 32) for size in sizes[-2:])
    if (rows, columns) != tuple(sizes[-2:]):
        padded = np.zeros((matrices.shape[0], rows, columns), dtype=values.dtype)
        padded[:, : sizes[-2], : sizes[-1]] = matrices
        matrices = padded
    faces = matrices.reshape(-1, rows // 32, 2, 16, columns // 32, 2, 16)
    return np.ascontiguousarray(faces.transpose(0, 1, 4, 2, 5, 3, 6))


def _from_tiles(elements: np.ndarray, shape: Shape) -> np.ndarray:
    sizes = tuple(shape) if len(shape) >= 2 else (1, math.prod(shape))
    rows, columns = (_up(size, 32) for size in sizes[-2:])
    faces = elements.reshape(-1, rows // 32, columns // 32, 2, 2, 16, 16)
    matrices = faces.transpose(0, 1, 3, 5, 2, 4, 6).reshape(-1, rows, columns)
    return matrices[:, : sizes[-2], : sizes[-1]].reshape(tuple(shape)).copy()


def _up(size: int, to: int) -> int:
    return -(-size // to) * to
