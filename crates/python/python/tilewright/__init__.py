"""Tile kernels for Tenstorrent's Tensix cores, without a card: bit-exact values, and findings.

`tilewright.ttnn` has ttnn's names for tensors, programs and devices; `tilewright.run` runs a
program and gives a `Result` instead of raising; `tilewright.ops` has LayerNorm operations that
take arrays.
"""

from __future__ import annotations

from . import ops, ttnn
from .errors import FindingWarning, ProgramError, RunError
from .program import check, run
from .references import Reference
from .result import Finding, Judgement, Mark, Result, Statistics
from ._settings import Settings, settings
from .sweeps import Sweep, sweep

__all__ = [
    "Finding",
    "FindingWarning",
    "Judgement",
    "Mark",
    "ProgramError",
    "Reference",
    "Result",
    "RunError",
    "Settings",
    "Statistics",
    "Sweep",
    "check",
    "ops",
    "run",
    "settings",
    "sweep",
    "ttnn",
]
