"""Arrays of other libraries: numpy, torch, and whatever has `__array__` or DLPack."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np

from .ttnn.types import DataType

_TORCH_TYPE = {
    DataType.BFLOAT16: "bfloat16",
    DataType.FLOAT32: "float32",
    DataType.UINT32: "uint32",
    DataType.INT32: "int32",
    DataType.UINT16: "uint16",
    DataType.UINT8: "uint8",
    DataType.INT8: "int8",
}
_OF_NUMPY = {
    np.dtype(np.float32): DataType.FLOAT32,
    np.dtype(np.float64): DataType.FLOAT32,
    np.dtype(np.float16): DataType.BFLOAT16,
    np.dtype(ml_dtypes.bfloat16): DataType.BFLOAT16,
    np.dtype(np.uint8): DataType.UINT8,
    np.dtype(np.int8): DataType.INT8,
    np.dtype(np.uint16): DataType.UINT16,
    np.dtype(np.int16): DataType.UINT16,
    np.dtype(np.uint32): DataType.UINT32,
    np.dtype(np.int32): DataType.INT32,
    np.dtype(np.int64): DataType.UINT32,
    np.dtype(np.bool_): DataType.UINT8,
}


def torch_module() -> ModuleType | None:
    """torch if it is installed; it is never required."""
    if "torch" in sys.modules:
        return sys.modules["torch"]
    if importlib.util.find_spec("torch") is None:
        return None
    import torch  # type: ignore[import-not-found]

    return torch


def is_torch(given: Any) -> bool:
    """Whether an array is torch's."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def to_numpy(given: Any) -> np.ndarray:
    """Any array as a numpy array; bf16 through ml_dtypes."""
    if isinstance(given, np.ndarray):
        return given
    if is_torch(given):
        torch = sys.modules["torch"]
        given = given.detach().cpu().contiguous()
        if given.dtype == torch.bfloat16:
            return given.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return given.numpy()
    if hasattr(given, "__array__"):
        return np.asarray(given)
    if hasattr(given, "__dlpack__"):
        return np.from_dlpack(given)
    raise TypeError(
        f"expected a torch tensor, a numpy array or a DLPack array, got {type(given).__name__}"
    )


def to_torch(values: np.ndarray) -> Any:
    """A torch tensor if torch is installed, else the numpy array itself."""
    torch = torch_module()
    if torch is None:
        return values
    if values.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(values.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(values)


def natural_type(values: np.ndarray) -> DataType:
    """The data type that a tensor made from these values has by default."""
    if values.dtype not in _OF_NUMPY:
        raise TypeError(f"arrays of {values.dtype} have no ttnn data type; pass dtype=")
    return _OF_NUMPY[values.dtype]


def torch_type(dtype: DataType) -> Any:
    """torch's name for a data type."""
    torch = torch_module()
    if torch is None:
        raise RuntimeError("torch is not installed")
    return getattr(torch, _TORCH_TYPE.get(dtype, "float32"))
