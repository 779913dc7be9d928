"""Tilewright's own LayerNorm operations, from an array to values with bounds.

>>> import numpy as np
>>> from tilewright import ops
>>> x = np.linspace(-1, 1, 64 * 64, dtype=np.float32).reshape(64, 64)
>>> result = ops.layernorm_fw(x, np.ones(64, np.float32), np.zeros(64, np.float32))
>>> result.verdict, result.outputs["y"].shape
('pass', (64, 64))
>>> result.judgements["y"].in_bound
True

Arrays are numpy's, torch's, or have `__array__` or DLPack. Results are of the same library. bf16
and fp16 arrays run in bf16, others in fp32. The bound of each element is derived from formats,
operation counts and data; `Result.judgements` holds the errors against it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from . import _arrays
from ._operate import operate
from .result import Result
from .ttnn.types import DataType


def layernorm_fw(x: Any, gamma: Any, beta: Any, *, epsilon: float = 1e-6) -> Result:
    """LayerNorm over the last dimension, in tiles: outputs `y`, `mean` and `rstd`."""
    inputs = {"x": x, "gamma": gamma, "beta": beta}
    return _run("layernorm-fw", inputs, ("y", "mean", "rstd"), _float_type(x), epsilon)


def layernorm_bw(
    x: Any, gamma: Any, dy: Any, *, mean: Any = None, rstd: Any = None
) -> Result:
    """Gradients of LayerNorm: outputs `dx`, `dgamma` and `dbeta`.

    `mean` and `rstd` are those of the rows of x, with an epsilon of 1e-6, unless given.
    """
    inputs = {"x": x, "gamma": gamma, "dy": dy, "mean": mean, "rstd": rstd}
    given = {name: value for name, value in inputs.items() if value is not None}
    return _run("layernorm-bw", given, ("dx", "dgamma", "dbeta"), _float_type(x), None)


def layernorm_rm(x: Any, gamma: Any, beta: Any, *, epsilon: float = 1e-5) -> Result:
    """LayerNorm of a row-major bf16 tensor: output `y`. The last two sizes are multiples of 32."""
    inputs = {"x": x, "gamma": gamma, "beta": beta}
    return _run("layernorm-rm", inputs, ("y",), DataType.BFLOAT16, epsilon)


def _float_type(x: Any) -> DataType:
    is_short = _arrays.natural_type(_arrays.to_numpy(x)) == DataType.BFLOAT16
    return DataType.BFLOAT16 if is_short else DataType.FLOAT32


def _run(
    name: str,
    inputs: Mapping[str, Any],
    outputs: tuple[str, ...],
    dtype: DataType,
    epsilon: float | None,
) -> Result:
    result = operate(name, inputs, outputs, dtype, epsilon=epsilon)
    if not _arrays.is_torch(inputs["x"]):
        return result
    values = {name: _arrays.to_torch(one) for name, one in result.outputs.items()}
    return dataclasses.replace(result, outputs=values)
