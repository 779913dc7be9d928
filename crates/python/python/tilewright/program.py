"""`run` and `check`: a program's result as an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._execute import execute
from .references import Reference
from .result import Result
from ._settings import settings
from .ttnn.descriptors import ProgramDescriptor
from .ttnn.tensor import Tensor


def run(
    io_tensors: Sequence[Tensor],
    program: ProgramDescriptor,
    name: str = "",
    reference: Reference | None = None,
    **changes: Any,
) -> Result:
    """Runs a program and says what came of it; findings do not raise.

    A `reference` judges its outputs. `changes` are settings for this run, such as `seed=7`.
    """
    with settings(**changes):
        return execute(io_tensors, program, name, is_kept=True, reference=reference)


def check(
    io_tensors: Sequence[Tensor],
    program: ProgramDescriptor,
    name: str = "",
    seeds: Sequence[int] = range(8),
    reference: Reference | None = None,
    **changes: Any,
) -> list[Result]:
    """Runs a program under several schedules, with the tools on; one result for each seed."""
    contents = [tensor._live_buffer() for tensor in io_tensors]
    before = [(buffer, buffer.read(), buffer.is_filled) for buffer in contents]
    results = []
    for seed in seeds:
        for buffer, values, is_filled in before:
            buffer.write(values)
            buffer.is_filled = is_filled
        results.append(run(io_tensors, program, name, reference, seed=seed, **changes))
    return results
