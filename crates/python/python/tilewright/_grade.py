"""`pytest --tilewright-grade`: would each test notice a fault?

A test that passes is run again with single faults in the programs that it launches, one at a time
and without compiling anything again. Its own assertions say whether it notices.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from . import _native
from ._launches import Launch, Recorder, recording

#: Cycles that a faulty run may take, as a multiple of the right one's.
_CYCLES_FACTOR = 4


def random_state() -> Callable[[], None]:
    """What the random generators of a test are set back by."""
    python, numbers = random.getstate(), np.random.get_state()
    torch = sys.modules.get("torch")
    tensors = torch.get_rng_state() if torch is not None else None

    def restore() -> None:
        random.setstate(python)
        np.random.set_state(numbers)
        if torch is not None and tensors is not None:
            torch.set_rng_state(tensors)

    return restore


class Grades:
    """Grades every test that passes and runs a program."""

    def __init__(self, config: pytest.Config) -> None:
        self.threshold: float | None = config.getoption("--tilewright-grade-threshold")
        self.file: str | None = config.getoption("--tilewright-grade-json")
        self.grades: list[tuple[str, dict[str, Any]]] = []
        self.skipped: list[tuple[str, str]] = []
        self.is_below = False

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        restore = random_state()
        with recording(Recorder(lists=True)) as clean:
            try:
                result = yield
            except pytest.skip.Exception:
                raise
            except BaseException:
                self.skipped.append((pyfuncitem.nodeid, "it fails without a fault"))
                raise
        if pyfuncitem.get_closest_marker("xfail"):
            self.skipped.append((pyfuncitem.nodeid, "it is expected to fail"))
        elif clean.launches:
            go_on = random_state()
            self._grade(pyfuncitem, clean.launches, restore)
            go_on()
        return result

    def _grade(
        self, item: pytest.Function, clean: list[Launch], restore: Callable[[], None]
    ) -> None:
        names = item._fixtureinfo.argnames
        arguments = {name: item.funcargs[name] for name in names}
        tried = []
        for number, launch in enumerate(clean):
            for fault in launch.faults:
                restore()
                cycles = max(_CYCLES_FACTOR * launch.cycles, 1 << 16)
                made = Recorder(target=(number, fault, cycles))
                noticed = False
                with recording(made), _quiet():
                    try:
                        item.obj(**arguments)
                    except (Exception, pytest.fail.Exception, pytest.skip.Exception):
                        noticed = True
                tried.append(_tried(number, fault, made, launch, noticed))
        grade = json.loads(_native.own_grade(item.nodeid, "its assertions", json.dumps(tried)))
        grade["threshold"] = self.threshold
        self.grades.append((item.nodeid, grade))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        scores = [grade["score"] for _, grade in self.grades]
        known = [score for score in scores if score is not None]
        if self.threshold is not None:
            self.is_below = not known or any(one < self.threshold for one in known)
        if self.is_below and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.file is not None:
            answer = {
                "tests": [grade for _, grade in self.grades],
                "not_graded": [{"test": node, "reason": why} for node, why in self.skipped],
            }
            with open(self.file, "w") as out:
                json.dump(answer, out)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Scores, the worst first, and what gets past each test."""
        terminalreporter.section("tilewright grades")
        if not self.grades:
            terminalreporter.write_line("no test was graded: none passes and runs a program")
        key = lambda one: -1.0 if one[1]["score"] is None else one[1]["score"]  # noqa: E731
        for node, grade in sorted(self.grades, key=key):
            for line in _lines(node, grade):
                terminalreporter.write_line(line)
        for node, why in self.skipped:
            terminalreporter.write_line(f"not graded: {node}: {why}")
        if self.threshold is not None:
            words = "below" if self.is_below else "at or above"
            terminalreporter.write_line(f"scores are {words} the threshold of {self.threshold:g}")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What a test prints with a fault is of no interest."""
    import io
    import warnings

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield


def _tried(
    number: int, fault: dict[str, Any], made: Recorder, clean: Launch, noticed: bool
) -> dict[str, Any]:
    launch = made.launches[number] if number < len(made.launches) else None
    return {
        "fault": fault,
        "program": number,
        "ended": launch is None or not launch.completed,
        "changed": launch is not None and launch.outputs != clean.outputs,
        "findings": [] if launch is None else [
            one for one in launch.findings if one not in clean.findings
        ],
        "noticed": noticed,
    }


def _shown(file: str) -> str:
    """A file as the user would name it."""
    with contextlib.suppress(ValueError):
        return str(Path(file).relative_to(Path.cwd()))
    return file


#: Faults that are listed for a test; the JSON file has all of them.
_LISTED = 5


def _lines(node: str, grade: dict[str, Any]) -> Iterator[str]:
    score, caught, changed = grade["score"], grade["caught_by_test"], grade["changed"]
    if score is None:
        yield f" none  {node}: no fault changes a value of its outputs"
        return
    tools = grade["caught_by_tool"]
    yield f" {score:.2f}  {node}: catches {caught} of {changed} faults, tools report {tools}"
    missed = grade["uncaught"]
    for one in missed[:_LISTED]:
        place = f"{_shown(one['file'])}:{one['line']}: " if one["file"] else ""
        tool = f" (tools report {one['findings'][0]})" if one["findings"] else ""
        yield f"         missed: {place}{one['class']}, {one['edit']}{tool}"
    if len(missed) > _LISTED:
        yield f"         and {len(missed) - _LISTED} more"
