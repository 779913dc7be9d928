"""`pytest --tilewright-stages FILE`: the tests of `tilewright stages`, one line of JSON each.

Tests belong to the stage that their file is named after, `test_4_device_operation.py`. Once one
has failed, those of later stages do not run: they could fail for the same reason.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from .errors import RunError

_STAGE = re.compile(r"test_([1-7])_\w+\.py$")


def stage_of(path: Any) -> int | None:
    """The stage that a file has the tests of."""
    found = _STAGE.search(str(path))
    return int(found.group(1)) if found else None


class Stages:
    """Writes what comes of each test."""

    def __init__(self, file: str) -> None:
        self.file = Path(file)
        self.failed: int | None = None
        self.findings: dict[str, Any] = {}

    def _write(self, stage: int, outcome: str, **more: Any) -> None:
        if outcome == "failed":
            self.failed = min(stage, self.failed or stage)
        with self.file.open("a") as out:
            out.write(json.dumps({"stage": stage, "outcome": outcome, **more}) + "\n")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        stage = stage_of(report.nodeid)
        if report.failed and stage is not None:
            self._write(stage, "failed", test=report.nodeid, message=_reason(report), seconds=0.0)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if stage_of(item.path)),
            key=lambda item: stage_of(item.path) or 0,
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        stage = stage_of(item.path) or 0
        is_blocked = self.failed is not None and stage > self.failed
        return True if is_blocked else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
        report = yield
        error = call.excinfo.value if call.excinfo is not None else None
        found = list(error.result.findings) if isinstance(error, RunError) else []
        found += getattr(report.longrepr, "findings", [])
        if found:
            self.findings[item.nodeid] = found[0]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        stage = stage_of(report.nodeid.split("::")[0])
        if stage is None or (report.when != "call" and report.passed):
            return
        more: dict[str, Any] = {"test": report.nodeid, "seconds": report.duration}
        if report.failed:
            more["message"] = _reason(report)
            more["finding"] = _finding(self.findings.get(report.nodeid))
        self._write(stage, report.outcome, **more)


def _reason(report: Any) -> str:
    """The first line of what went wrong."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    lines = [line.removeprefix("E   ").strip() for line in text.strip().splitlines()]
    if crash is None and lines:
        # The text of an error at import ends with the error.
        return lines[-1]
    return lines[0] if lines else "no reason is given"


def _finding(finding: Any) -> dict[str, Any] | None:
    if finding is None:
        return None
    file, line = finding.location or (None, None)
    return {
        "id": finding.id,
        "title": finding.title,
        "file": file,
        "line": line,
        "help": finding.help,
    }
