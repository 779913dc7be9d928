"""`pytest --tilewright` from outside: sessions of their own, as a user starts them."""

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

HERE = Path(__file__).parent
SUITE = """
import sys
sys.path.insert(0, {here!r})
import numpy as np
import operations
import pytest
import ttnn


def exponential(device, fault=None):
    values = np.linspace(-1, 1, 4096, dtype=np.float32).reshape(64, 64)
    x = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    return ttnn.generic_op(*operations.exponential(x, fault))
"""
FAILING = SUITE + """

@pytest.mark.parametrize("fault", ["SEGFAULT", "ENDLESS_LOOP", "DEADLOCK"])
def test_fault(device, fault):
    exponential(device, fault)


def test_after(device):
    assert exponential(device).shape == (64, 64)
"""
RACING = SUITE + """

@pytest.mark.parametrize("turn", range(3))
def test_race(device, turn):
    exponential(device, "MISSING_READ_BARRIER")
"""


def session(pytester: pytest.Pytester, text: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(text.format(here=str(HERE)))
    return pytester.runpytest_subprocess("--tilewright", *options)


def test_three_kernels_that_do_not_end_well(pytester):
    result = session(pytester, FAILING)
    result.assert_outcomes(failed=3, passed=1)
    text = result.stdout.str()
    for finding in ("kernel-crash", "endless-loop", "starved-wait"):
        assert f"error[{finding}]" in text
        assert f"{finding}:" in text.split("tilewright findings")[-1]
    captures = sorted(path.name for path in (pytester.path / "tilewright-captures").iterdir())
    faults = ("DEADLOCK", "ENDLESS_LOOP", "SEGFAULT")
    assert captures == [f"test_fault_{fault}.cap" for fault in faults]


def findings_of(result):
    """The plugin's own section of a session's output, without pytest's list of failed tests."""
    section = result.stdout.str().split("= tilewright findings")[-1]
    return section.split("= short test summary")[0]


def test_a_finding_fails_its_test_and_is_listed_once(pytester):
    result = session(pytester, RACING, "--junitxml=report.xml")
    result.assert_outcomes(failed=3)
    summary = findings_of(result)
    assert summary.count("unawaited-read: ") == 1
    assert "and 2 more" in summary
    properties = ElementTree.parse(pytester.path / "report.xml").iter("property")
    values = [one.get("value") for one in properties if one.get("name") == "tilewright_finding"]
    assert len(values) == 3 and all("unawaited-read" in value for value in values)


@pytest.mark.parametrize("mode", ["warn", "off"])
def test_findings_need_not_fail(pytester, mode):
    result = session(pytester, RACING, f"--tilewright-findings={mode}")
    result.assert_outcomes(passed=3)
    assert ("unawaited-read" in result.stdout.str()) == (mode == "warn")


def test_several_processes(pytester):
    pytest.importorskip("xdist")
    result = session(pytester, RACING, "-n", "2")
    result.assert_outcomes(failed=3)
    assert findings_of(result).count("unawaited-read: ") == 1


def test_kernels_of_later_cases_are_compiled_ahead(pytester, monkeypatch):
    """The second case finds its kernels compiled: the first waits until a file is there."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two processors")
    monkeypatch.setenv("XDG_CACHE_HOME", str(pytester.path / "cache"))
    text = SUITE + """
import glob
import os
import time


def compiled():
    return len(glob.glob(os.environ["XDG_CACHE_HOME"] + "/tilewright/*.code"))


def test_first(device):
    for _ in range(6000):  # A bound for a failure: a loaded host may take minutes.
        if compiled() >= 5:
            return
        time.sleep(0.1)
    assert False, "nothing was compiled"


def test_second(device):
    exponential(device)
"""
    pytester.makeconftest("import os\nos.getloadavg = lambda: (0.0, 0.0, 0.0)\n")
    session(pytester, text).assert_outcomes(passed=2)
    monkeypatch.setenv("XDG_CACHE_HOME", str(pytester.path / "another"))
    off = session(pytester, text.replace("6000", "3"), "--tilewright-ahead=off")
    off.assert_outcomes(failed=1, passed=1)


def test_the_tree_of_the_user(pytester):
    """`ttnn.operations` and `ttnn.<operation>` are the tree's own; its conftest's device is ours."""
    folder = pytester.mkpydir("ttnn") / "ttnn" / "operations" / "twice"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("import ttnn\n\ndef twice(x):\n    return ttnn.add(x, x)\n")
    pytester.makeconftest(
        "import pytest\n\n@pytest.fixture\ndef device():\n    raise RuntimeError('no card')\n"
    )
    text = SUITE + """
from ttnn.operations.twice import twice


def test_twice(device):
    x = ttnn.from_torch(
        np.ones((32, 32), np.float32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device
    )
    assert (ttnn.to_torch(twice(x)) == 2).all()
    assert ttnn.twice is twice


def test_unserved():
    with pytest.raises(AttributeError, match="does not serve ttnn.all_gather"):
        ttnn.all_gather
"""
    session(pytester, text, "--import-mode=importlib").assert_outcomes(passed=2)


def test_without_the_option_there_is_no_device(pytester):
    pytester.makepyfile("def test_it(device):\n    pass\n")
    pytester.runpytest_subprocess().assert_outcomes(skipped=1)


def test_expect_error(pytester):
    text = SUITE + """
def test_it(device, expect_error):
    with expect_error(RuntimeError, "io_tensors must name"):
        ttnn.generic_op([], ttnn.ProgramDescriptor())
"""
    session(pytester, text).assert_outcomes(passed=1)


def test_the_example_of_the_page(pytester):
    page = (HERE.parents[2] / "docs" / "src" / "python.md").read_text()
    pytester.makepyfile(test_hang=page.split("```python\n")[1].split("```")[0])
    result = pytester.runpytest_subprocess("--tilewright", "test_hang.py")
    result.assert_outcomes(failed=1)
    assert "cb_wait_front(0, 2);" in result.stdout.str()
    assert (pytester.path / "tilewright-captures" / "test_hang.cap").is_file()
