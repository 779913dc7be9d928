"""What a graded test launches, and the fault that is put into one of its programs."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ._settings import current

#: Calls without progress after which a faulty run is a livelock.
_STEP_BUDGET = 1 << 14


@dataclass
class Launch:
    """One program that a test runs."""

    outputs: str
    """A digest of what its outputs hold afterwards."""
    findings: list[str]
    completed: bool
    cycles: int
    faults: list[dict[str, Any]]


@dataclass
class Recorder:
    """Notes the launches of a test, and injects a fault into one of them."""

    target: tuple[int, dict[str, Any], int] | None = None
    """The number of the launch, the fault, and the cycles that the launch may take."""
    lists: bool = False
    launches: list[Launch] = field(default_factory=list)

    def options(self) -> dict[str, Any]:
        """What the next launch is asked for besides the settings."""
        if self.target is None or self.target[0] != len(self.launches):
            return {"lists_faults": self.lists}
        _, fault, cycles = self.target
        return {"inject": fault, "cycle_limit": cycles, "step_budget": _STEP_BUDGET}

    def note(self, outcome: dict[str, Any], outputs: list[bytes]) -> None:
        """A launch has ended."""
        digest = hashlib.blake2b(digest_size=16)
        for one in outputs:
            digest.update(len(one).to_bytes(8, "little") + one)
        findings = sorted({one["id"] for one in outcome["findings"]})
        faults = outcome.pop("faults", [])
        completed, cycles = outcome["completed"], outcome["cycles"]
        self.launches.append(Launch(digest.hexdigest(), findings, completed, cycles, faults))


#: Who notes the launches of the test that is graded now.
recorder: Recorder | None = None


@contextlib.contextmanager
def recording(made: Recorder) -> Iterator[Recorder]:
    global recorder
    recorder = made
    captures, current.captures = current.captures, None
    try:
        yield made
    finally:
        recorder, current.captures = None, captures
