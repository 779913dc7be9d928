"""Runs one of Tilewright's own operations on given values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _arrays, _layout, _native, errors
from ._settings import current
from .result import Result
from .ttnn.types import DataType

FLOATS = (DataType.BFLOAT16, DataType.FLOAT32)


def operate(
    operation: str,
    inputs: Mapping[str, Any],
    outputs: tuple[str, ...],
    dtype: DataType,
    choices: Mapping[str, str] | None = None,
    epsilon: float | None = None,
) -> Result:
    """Runs an operation; the first input has the request's shape. Raises for bad input alone."""
    arrays = {name: _arrays.to_numpy(value) for name, value in inputs.items()}
    given = {name: np.ascontiguousarray(one, dtype=np.float32) for name, one in arrays.items()}
    request = {
        "operation": operation,
        "shape": list(next(iter(arrays.values())).shape),
        "format": _layout.FORMAT_NAME[dtype],
        "set": dict(choices or {}),
        "outputs": list(outputs),
        "check": current.findings != "off",
        "seed": current.seed,
        "device": current.device,
        "epsilon": epsilon,
    }
    places = {name: (one.ctypes.data, one.nbytes) for name, one in given.items()}
    try:
        text, contents = _native.operate(json.dumps(request), places)
    except (RuntimeError, ValueError) as error:
        raise errors.ProgramError(str(error)) from None
    record = json.loads(text)
    values = {
        name: _output(contents[name], record["outputs"][name]["shape"], dtype)
        for name in contents
        if name in record["outputs"]
    }
    return Result.from_record(operation, record, values)


def _output(contents: bytes, shape: list[int], dtype: DataType) -> np.ndarray:
    values = np.frombuffer(contents, np.float32).reshape(shape)
    return values.astype(_layout.NUMPY_TYPE[dtype])
