"""Sweeps: every combination of shapes, inputs, seeds and options, on this machine or on many.

>>> import tempfile, tilewright
>>> plan = {"subject": "eltwise", "shapes": ["32x32", "32x64"], "seeds": [0, 1]}
>>> with tempfile.TemporaryDirectory() as folder:
...     swept = tilewright.sweep(plan, folder)
>>> [row["verdict"] for row in swept.rows]
['pass', 'pass', 'pass', 'pass']
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _native

#: Jobs that wait for a worker at a time: each may hold a capture.
_AHEAD = 256


@dataclass(frozen=True)
class Sweep:
    """A sweep that has ended."""

    rows: list[dict[str, Any]]
    """What came of each run, in the order of the combinations; docs/schema/sweep-line.schema.json
    has the fields."""
    summary: dict[str, Any]
    """Counts of verdicts, the worst run and the smallest failing one; sweep.schema.json."""

    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Writes the rows as Parquet, a column for each axis. Needs the package pyarrow."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise RuntimeError(
                "Parquet files need the package pyarrow: pip install pyarrow; "
                "results.csv and results.jsonl are there without it"
            ) from None
        table = pyarrow.Table.from_pylist([_flat(row) for row in self.rows])
        pyarrow.parquet.write_table(table, os.fspath(path))
        return Path(path)


def sweep(
    plan: str | os.PathLike[str] | Mapping[str, Any],
    output: str | os.PathLike[str],
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Runs every combination of a sweep that has no result in the folder `output` yet.

    `plan` is a sweep file or a mapping with its keys. Runs are jobs by content, an operation with
    its arguments or a capture, for any `concurrent.futures.Executor`, whose workers need nothing
    but this package; without one they run on threads of this process. `progress` is called with
    the number of runs that have ended, and of all. The folder gets `results.jsonl`, `results.csv`
    and `sweep.html`.
    """
    if isinstance(plan, Mapping):
        native = _native.Sweep(None, json.dumps(dict(plan)), os.fspath(output))
    else:
        native = _native.Sweep(os.fspath(plan), None, os.fspath(output))
    left = native.left()
    if executor is not None:
        _hand_out(native, left, executor, progress)
    else:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            _hand_out(native, left, threads, progress)
    summary, rows = native.finish()
    return Sweep([json.loads(row) for row in rows], json.loads(summary))


def run_job(job: str, capture: bytes | None) -> str:
    """Runs a job of a sweep in a worker; its row as JSON."""
    return _native.sweep_job(job, capture)


def _hand_out(
    native: _native.Sweep,
    left: list[int],
    executor: Executor,
    progress: Callable[[int, int], None] | None,
) -> None:
    waiting: set[Future[str]] = set()
    numbers, ended = iter(left), 0

    def note(row: str) -> None:
        nonlocal ended
        native.add(row)
        ended += 1
        if progress is not None:
            progress(ended, len(left))

    try:
        while True:
            while len(waiting) < _AHEAD and (number := next(numbers, None)) is not None:
                job, capture, row = native.job(number)
                if job is None:
                    note(str(row))
                else:
                    waiting.add(executor.submit(run_job, job, capture))
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                note(future.result())
    finally:
        for future in waiting:
            future.cancel()


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with a column for each axis."""
    rest = {name: value for name, value in row.items() if name not in ("point", "findings")}
    return {**row["point"], "findings": " ".join(row["findings"]), **rest}
