"""How programs are run, for the whole process.

>>> import tilewright
>>> with tilewright.settings(seed=3, findings="warn"):
...     pass
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator
from typing import Any, Literal

Findings = Literal["fail", "warn", "collect", "off"]


@dataclasses.dataclass
class Settings:
    """What every run of this process is asked for."""

    findings: Findings = "fail"
    """`fail` raises on a finding, `warn` warns, `collect` leaves it in the result, `off` switches
    the tools off."""
    device: str = "n150"
    """The product that devices are opened as: `n150`, `p100a` or `p150`."""
    seed: int = 0
    """Where every choice of the schedule comes from."""
    threads: int = 1
    """Host threads of a simulation; values and findings do not depend on it."""
    late: bool = False
    """Lands transfers as late as the barriers allow."""
    step_budget: int | None = None
    """Calls that a processor may make while nothing changes; more are a livelock."""
    timeout: float = 600.0
    """Seconds after which a worker that does not answer is ended."""
    isolated: bool = True
    """Whether kernels run in a process of their own."""
    captures: str | None = None
    """A folder for captures of programs that do not complete or have findings."""
    cxx: str | None = None
    """The C++ compiler; otherwise that of CXX, or the first on PATH."""
    compiles_only: bool = False
    """Compiles a program's kernels and runs nothing."""

    def request(self) -> dict[str, Any]:
        """The part that the native module is told."""
        return {
            "check": self.findings != "off",
            "device": self.device,
            "seed": self.seed,
            "threads": self.threads,
            "late": self.late,
            "step_budget": self.step_budget,
            "cxx": self.cxx,
            "is_forked": self.isolated,
            "timeout": self.timeout,
        }


current = Settings(
    isolated=os.environ.get("TILEWRIGHT_IN_PROCESS", "") != "1",
    device=os.environ.get("TILEWRIGHT_DEVICE", "n150"),
)


@contextlib.contextmanager
def settings(**changes: Any) -> Iterator[Settings]:
    """Changes settings for a while."""
    before = dataclasses.replace(current)
    unknown = [name for name in changes if not hasattr(current, name)]
    if unknown:
        raise TypeError(f"settings(): unknown setting {unknown[0]!r}")
    for name, value in changes.items():
        setattr(current, name, value)
    try:
        yield current
    finally:
        for one in dataclasses.fields(before):
            setattr(current, one.name, getattr(before, one.name))
