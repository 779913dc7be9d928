"""What is raised when a program cannot be run, does not end, or is found to be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Result


class ProgramError(RuntimeError):
    """A program that cannot be run: a kernel that does not compile, memory that does not fit."""


class RunError(RuntimeError):
    """A run with findings, or one that did not complete; `result` has all that is known of it."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.report())
        self.result = result

    def __reduce__(self) -> tuple[type[RunError], tuple[Result]]:
        return RunError, (self.result,)


class FindingWarning(UserWarning):
    """A finding, where findings are to warn only."""


class CompiledAhead(Exception):
    """A program's kernels are compiled, as `Settings.compiles_only` asks; it has not run."""
