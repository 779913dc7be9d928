"""Running programs: `generic_op`, and what kernels must know of tensors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from .. import errors
from ..result import Result
from .._settings import current
from .descriptors import ProgramDescriptor
from .tensor import Tensor


#: Called with the result of every `generic_op`, such as by the pytest plugin.
listeners: list[Callable[[Result], None]] = []


class TensorAccessorArgs:
    """The compile-time arguments by which a kernel finds a tensor's pages.

    `TensorAccessorArgs()` stands for a tensor that is absent.
    """

    def __init__(self, tensor: Tensor | None = None) -> None:
        if tensor is None:
            self._words = [0, 0]
        elif isinstance(tensor, Tensor):
            self._words = list(tensor._live_buffer().accessor_words)
        else:
            raise TypeError(f"TensorAccessorArgs(): expected a ttnn.Tensor, got {tensor!r}")

    def get_compile_time_args(self) -> list[int]:
        return list(self._words)

    def get_common_runtime_args(self) -> list[int]:
        return []


def generic_op(
    io_tensors: Sequence[Tensor], program_descriptor: ProgramDescriptor
) -> Tensor:
    """Runs a program and returns its output, which is the last tensor.

    Raises `tilewright.RunError`, a `RuntimeError`, when the program does not complete, or when
    something is found and `tilewright.settings` say that this fails.
    """
    from .._execute import execute

    if not isinstance(program_descriptor, ProgramDescriptor):
        kind = type(program_descriptor).__name__
        if "Mesh" in kind:
            raise NotImplementedError("tilewright does not serve MeshProgramDescriptor")
        raise TypeError(f"generic_op(): program_descriptor is no ProgramDescriptor but {kind}")
    result = execute(io_tensors, program_descriptor)
    for listener in listeners:
        listener(result)
    if not result.completed or (result.findings and current.findings == "fail"):
        raise errors.RunError(result)
    if result.findings and current.findings == "warn":
        warnings.warn(result.report(), errors.FindingWarning, stacklevel=2)
    return io_tensors[-1]
