"""Operations that ttnn composes of many kernels: softmax, layer_norm, matmul, reductions.

They run Tilewright's own kernels on the simulated device and are held against derived bounds.
Their values are as accurate as the device's, and not bit-equal to those of ttnn's kernels.
Operands are in tiles, in bf16 or fp32; anything else is refused by name.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import errors
from .._operate import FLOATS, operate
from .._settings import current
from .memory import MemoryConfig
from .tensor import Tensor, from_torch
from .types import DataType, Layout


def softmax(
    input_tensor: Tensor,
    dim: int = -1,
    *,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    **ignored: Any,
) -> Tensor:
    """Softmax along the last dimension."""
    _check("softmax", [input_tensor])
    _last("softmax", input_tensor, dim)
    y = _run("softmax", {"x": input_tensor}, "y")
    return _like(input_tensor, y, memory_config, dtype)


def layer_norm(
    input_tensor: Tensor,
    *,
    epsilon: float = 1e-12,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    residual_input_tensor: Tensor | None = None,
    memory_config: MemoryConfig | None = None,
    **ignored: Any,
) -> Tensor:
    """LayerNorm over the last dimension, times `weight`, plus `bias`."""
    if residual_input_tensor is not None:
        raise NotImplementedError(
            "tilewright does not serve ttnn.layer_norm with residual_input_tensor"
        )
    parameters = [one for one in (weight, bias) if one is not None]
    _check("layer_norm", [input_tensor], parameters)
    width = input_tensor.shape[-1]
    gamma = np.ones(width, np.float32) if weight is None else _row(weight, width)
    beta = np.zeros(width, np.float32) if bias is None else _row(bias, width)
    inputs = {"x": input_tensor, "gamma": gamma, "beta": beta}
    return _like(input_tensor, _run("layernorm-fw", inputs, "y", epsilon=epsilon), memory_config)


def matmul(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    **ignored: Any,
) -> Tensor:
    """The product of two matrices, or of batches of matrices."""
    _check("matmul", [input_tensor_a, input_tensor_b])
    a, b = _matrices(input_tensor_a, transpose_a), _matrices(input_tensor_b, transpose_b)
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError(
            f"ttnn.matmul: The width of the first tensor must be equal to the height of the second "
            f"tensor, got {a.shape[-1]} and {b.shape[-2]}"
        )
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(a, batch + a.shape[-2:]).reshape(-1, *a.shape[-2:])
    b = np.broadcast_to(b, batch + b.shape[-2:]).reshape(-1, *b.shape[-2:])
    kind, choices = input_tensor_a.dtype, {"n": str(b.shape[-1])}
    products = [
        _run("matmul", {"a": left, "b": right}, "c", kind, choices)
        for left, right in zip(a, b, strict=True)
    ]
    c = np.stack(products).reshape(*batch, a.shape[-2], b.shape[-1])
    return _like(input_tensor_a, c, memory_config, dtype)


def linear(
    input_tensor_a: Tensor, input_tensor_b: Tensor, *, bias: Tensor | None = None, **rest: Any
) -> Tensor:
    """`matmul`, plus `bias` in every row."""
    product = matmul(input_tensor_a, input_tensor_b, **rest)
    if bias is None:
        return product
    row = _row(bias, product.shape[-1]).reshape(1, -1)
    inputs = {"first": product, "second": np.broadcast_to(row, product.shape)}
    return _like(product, _run("eltwise", inputs, "y"))


def reduction(name: str, pool: str) -> Callable[..., Tensor]:
    """The operation `ttnn.<name>(x, dim)`."""

    def operation(
        input_tensor: Tensor,
        dim: int | Sequence[int] | None = None,
        keepdim: bool = False,
        *,
        memory_config: MemoryConfig | None = None,
        **ignored: Any,
    ) -> Tensor:
        _check(name, [input_tensor])
        reduced, axes = _reduced_axes(name, input_tensor, dim)
        y = _run("reduce", {"x": input_tensor}, "y", choices={"pool": pool, "dim": reduced})
        y = y if keepdim else y.reshape(
            [size for axis, size in enumerate(y.shape) if axis not in axes]
        )
        return _like(input_tensor, y, memory_config)

    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = f"The {name} of rows, of columns, or of matrices."
    return operation


def served(module: dict[str, Any]) -> None:
    """Adds the reductions to a module."""
    module.update({name: reduction(name, pool) for name, pool in _REDUCTIONS.items()})


_REDUCTIONS = {"sum": "sum", "mean": "avg", "max": "max"}


def _reduced_axes(
    name: str, x: Tensor, dim: int | Sequence[int] | None
) -> tuple[str, tuple[int, ...]]:
    rank = len(x.shape)
    given = range(rank) if dim is None else (dim,) if isinstance(dim, int) else dim
    axes = tuple(sorted(axis % rank for axis in given))
    known = {(rank - 1,): "row", (rank - 2,): "column", (rank - 2, rank - 1): "scalar"}
    if axes not in known:
        raise NotImplementedError(
            f"tilewright serves ttnn.{name} of the last two dimensions, not of dim={dim}"
        )
    return known[axes], axes


def _run(
    operation: str,
    inputs: Mapping[str, Any],
    output: str,
    kind: DataType | None = None,
    choices: Mapping[str, str] | None = None,
    epsilon: float | None = None,
) -> np.ndarray:
    first = next(iter(inputs.values()))
    dtype = first.dtype if kind is None else kind
    result = operate(operation, inputs, (output,), dtype, choices, epsilon)
    if not result.completed or (result.findings and current.findings == "fail"):
        raise errors.RunError(result)
    if result.findings and current.findings == "warn":
        warnings.warn(result.report(), errors.FindingWarning, stacklevel=3)
    return result.outputs[output]


def _check(name: str, operands: list[Tensor], parameters: Sequence[Tensor] = ()) -> None:
    for operand in [*operands, *parameters]:
        if not isinstance(operand, Tensor):
            raise TypeError(f"ttnn.{name}: expected a ttnn.Tensor, got {operand!r}")
        if operand.device() is None:
            raise RuntimeError(f"ttnn.{name}: the tensor must be on a device")
        if operand.dtype not in FLOATS:
            raise NotImplementedError(f"tilewright serves ttnn.{name} in bfloat16 and float32")
    for operand in operands:
        if operand.layout != Layout.TILE or len(operand.shape) < 2:
            raise NotImplementedError(f"tilewright serves ttnn.{name} for matrices in tiles")


def _last(name: str, x: Tensor, dim: int) -> None:
    if dim not in (-1, len(x.shape) - 1):
        raise NotImplementedError(f"tilewright serves ttnn.{name} along the last dimension only")


def _row(parameter: Tensor, width: int) -> np.ndarray:
    values = parameter.to_numpy().astype(np.float32)
    if values.size != width:
        raise RuntimeError(f"a parameter of {width} values is needed, got {parameter.shape}")
    return values.reshape(width)


def _matrices(operand: Tensor, is_transposed: bool) -> np.ndarray:
    values = operand.to_numpy()
    return np.swapaxes(values, -1, -2) if is_transposed else values


def _like(
    x: Tensor,
    values: np.ndarray,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
) -> Tensor:
    return from_torch(
        values,
        dtype=dtype or x.dtype,
        layout=x.layout,
        device=x.device(),
        memory_config=memory_config or x.memory_config(),
    )
