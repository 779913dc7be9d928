"""`pytest --tilewright`: suites of ttnn operations on the simulated device.

`import ttnn` gives `tilewright.ttnn`, also where the real one is installed. A finding fails its
test at the kernel's line. Each finding is listed once at the end of the session.
"""

from __future__ import annotations

import contextlib
import os
import sys
from argparse import SUPPRESS
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

_PROPERTY = "tilewright_finding"
_MODES = ("fail", "warn", "off")
_FIXTURES = ("device", "mesh_device")
_found = pytest.StashKey[list[Any]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilewright")
    group.addoption(
        "--tilewright",
        action="store_true",
        help="run ttnn operations on Tilewright's simulated device",
    )
    group.addoption(
        "--tilewright-findings",
        choices=_MODES,
        default="fail",
        help="what a finding does to its test (default: fail)",
    )
    group.addoption(
        "--tilewright-captures",
        metavar="DIR",
        default="tilewright-captures",
        help="where programs with findings are captured (default: tilewright-captures)",
    )
    group.addoption(
        "--tilewright-ahead",
        choices=("auto", "off"),
        default="auto",
        help="compile kernels of later cases on an idle processor (default: auto)",
    )
    group.addoption(
        "--tilewright-grade",
        action="store_true",
        help="run each test again with single faults in its programs, and score what it notices",
    )
    group.addoption(
        "--tilewright-grade-threshold",
        type=float,
        metavar="SCORE",
        help="fail the session if a test's score is lower; implies --tilewright-grade",
    )
    group.addoption(
        "--tilewright-grade-json", metavar="FILE", help="write all grades to a file; implies it, too"
    )
    group.addoption("--tilewright-stages", metavar="FILE", help=SUPPRESS)
    group.addoption("--tilewright-seed", type=int, default=0, help="seed of the schedule")
    group.addoption("--tilewright-device", help="simulated device: n150, p100a or p150")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Puts our ttnn in place before any conftest imports it."""
    options = early_config.known_args_namespace
    if options.tilewright:
        _install(_tree(early_config.rootpath, [*options.file_or_dir, os.getcwd()]))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--tilewright"):
        config.pluginmanager.register(Session(config), "tilewright-session")
        _register(config)
    elif _is_graded(config):
        raise pytest.UsageError("--tilewright-grade needs --tilewright: a card takes no faults")


def _is_graded(config: pytest.Config) -> bool:
    options = ("--tilewright-grade", "--tilewright-grade-json")
    has_threshold = config.getoption("--tilewright-grade-threshold") is not None
    return has_threshold or any(config.getoption(option) for option in options)


def _register(config: pytest.Config) -> None:
    from . import _grade, _stages

    if _is_graded(config):
        config.pluginmanager.register(_grade.Grades(config), "tilewright-grades")
    if config.getoption("--tilewright-stages"):
        stages = _stages.Stages(config.getoption("--tilewright-stages"))
        config.pluginmanager.register(stages, "tilewright-stages")


def _tree(root: Path, places: list[str]) -> Path:
    """The folder of the tree that the tests are in: the nearest one with operations of its own."""
    candidates = [root, *(Path(str(place).split("::")[0]).resolve() for place in places)]
    for candidate in candidates:
        for folder in (candidate, *candidate.parents):
            if (folder / "ttnn" / "ttnn").is_dir():
                return folder
    return root


def _install(tree: Path) -> None:
    from . import _sources, ttnn

    _sources.add_root(tree)
    os.environ.setdefault("TT_METAL_HOME", str(tree))
    if str(tree) not in sys.path:
        sys.path.insert(0, str(tree))
    for name in [name for name in sys.modules if name == "ttnn" or name.startswith("ttnn.")]:
        del sys.modules[name]
    for name, module in list(sys.modules.items()):
        if name == "tilewright.ttnn" or name.startswith("tilewright.ttnn."):
            sys.modules[name.removeprefix("tilewright.")] = module
    ttnn._tree.install(ttnn)


class Session:
    """What the plugin does in a session that runs on the simulated device."""

    def __init__(self, config: pytest.Config) -> None:
        from . import _settings
        from .ttnn import program

        self.mode: str = config.getoption("--tilewright-findings")
        _settings.current.findings = "off" if self.mode == "off" else "collect"
        _settings.current.seed = config.getoption("--tilewright-seed")
        product = config.getoption("--tilewright-device")
        _settings.current.device = product or _settings.current.device
        _settings.current.captures = config.getoption("--tilewright-captures") or None
        self.is_ahead: bool = config.getoption("--tilewright-ahead") == "auto"
        self.item: pytest.Item | None = None
        self.cases: dict[str, list[str]] = {}
        program.listeners.append(self._note)

    def _note(self, result: Any) -> None:
        from . import _launches

        recorder = _launches.recorder
        is_faulty = recorder is not None and recorder.target is not None
        if self.item is not None and not is_faulty:
            self.item.stash.setdefault(_found, []).append(result)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        from . import _ahead

        is_run = not session.config.option.collectonly
        with _ahead.compiling(session) if self.is_ahead and is_run else contextlib.nullcontext():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self.item = item
        try:
            return (yield)
        finally:
            self.item = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: pytest.FixtureRequest) -> Any:
        """Gives our device even where the tree's conftest has a fixture of that name."""
        if fixturedef.argname not in _FIXTURES or fixturedef.func.__module__ == __name__:
            return None
        with contextlib.ExitStack() as stack:
            opened = stack.enter_context(_opened(fixturedef.argname, request))
            fixturedef.addfinalizer(stack.pop_all().close)
        fixturedef.cached_result = (opened, fixturedef.cache_key(request), None)
        return opened

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        results = item.stash.get(_found, [])
        if report.when == "call" and results:
            self._judge(item, call, report, results)
        return report

    def _judge(self, item: Any, call: Any, report: pytest.TestReport, results: list[Any]) -> None:
        from .errors import RunError

        findings = list({one.rendered: one for result in results for one in result.findings}.values())
        properties = [(_PROPERTY, _line(one)) for one in findings]
        # JUnit reports read those of the item, once all of the test is over.
        item.user_properties += properties
        report.user_properties += properties
        error = call.excinfo.value if call.excinfo is not None else None
        is_expected = hasattr(report, "wasxfail")
        if isinstance(error, RunError) and report.failed:
            report.longrepr = FindingRepr(error.result.findings, error.result.report())
        elif findings and report.passed and self.mode == "fail" and not is_expected:
            text = "\n\n".join(one.rendered.rstrip() for one in findings)
            report.outcome = "failed"
            report.longrepr = FindingRepr(findings, text)
        elif findings:
            text = "\n\n".join(one.rendered.rstrip() for one in findings)
            report.sections.append(("tilewright findings", text))
        captured = [result.captured for result in results if result.captured]
        if captured:
            report.sections.append(("tilewright captures", "\n".join(captured)))
        printed = [line for result in results for line in result.printed]
        if printed:
            report.sections.append(("kernels printed", "\n".join(printed)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call":
            return
        for name, value in report.user_properties:
            if name == _PROPERTY:
                cases = self.cases.setdefault(str(value), [])
                if report.nodeid not in cases:
                    cases.append(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Lists each finding once, with the number of cases that met it."""
        if not self.cases:
            return
        terminalreporter.section("tilewright findings")
        for line, cases in self.cases.items():
            more = f" and {len(cases) - 1} more" if len(cases) > 1 else ""
            terminalreporter.write_line(f"{line}\n    in {cases[0]}{more}")


class FindingRepr:
    """A test's failure as the diagnostics of its findings."""

    def __init__(self, findings: Any, text: str) -> None:
        from _pytest._code.code import ReprFileLocation

        self.text, self.findings = text, tuple(findings)
        places = [one.location for one in findings if one.location is not None]
        file, line = places[0] if places else ("", 0)
        title = f"{findings[0].id}: {findings[0].title}" if findings else text.split("\n")[0]
        self.reprcrash = ReprFileLocation(file, line, title)

    def toterminal(self, out: Any) -> None:
        out.line(self.text)

    def __str__(self) -> str:
        return self.text


def _line(finding: Any) -> str:
    place = finding.location
    where = "" if place is None else f"{_shown(place[0])}:{place[1]}: "
    return f"{where}{finding.id}: {finding.title}"


def _shown(file: str) -> str:
    with contextlib.suppress(ValueError):
        return str(Path(file).relative_to(Path.cwd()))
    return file


@contextlib.contextmanager
def _opened(name: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    from . import ttnn

    shape = getattr(request, "param", 1) if name == "mesh_device" else 1
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(size != 1 for size in sizes):
        pytest.skip(f"tilewright has one device; a mesh of {sizes} is not served")
    device = ttnn.open_device(device_id=0)
    ttnn.SetDefaultDevice(device)
    try:
        yield device
    finally:
        ttnn.SetDefaultDevice(None)
        ttnn.close_device(device)


def _require(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--tilewright"):
        pytest.skip("needs a device; run with --tilewright to simulate one")


@pytest.fixture
def device_params(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Parameters of the device; they have no effect here."""
    return dict(getattr(request, "param", {}))


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The simulated device."""
    _require(request)
    with _opened("device", request) as opened:
        yield opened


@pytest.fixture
def mesh_device(request: pytest.FixtureRequest, device_params: Any) -> Iterator[Any]:
    """The simulated device as a mesh of one."""
    _require(request)
    with _opened("mesh_device", request) as opened:
        yield opened


@pytest.fixture
def expect_error() -> Callable[..., Any]:
    """`with expect_error(RuntimeError, "pattern"):` as in tt-metal's conftest."""

    @contextlib.contextmanager
    def expected(error: Any, message: str = "") -> Iterator[Any]:
        with pytest.raises(error, match=message) as caught:
            yield caught

    return expected
