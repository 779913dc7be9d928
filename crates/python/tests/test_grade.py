"""`pytest --tilewright-grade`: tests are graded by their own assertions."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SUITE = """
import sys
sys.path.insert(0, {here!r})
import numpy as np
import operations
import pytest
import ttnn

LAUNCHES = []


def exponential(device):
    values = np.random.uniform(-1, 1, (32, 96)).astype(np.float32)
    x = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    got = np.asarray(ttnn.to_torch(ttnn.generic_op(*operations.exponential(x))), np.float32)
    LAUNCHES.append(values.sum())
    return got, np.exp(np.asarray(ttnn.to_torch(x), np.float32))


def test_blind(device):
    got, wanted = exponential(device)
    assert np.allclose(got, wanted, atol=10)


def test_tight(device):
    got, wanted = exponential(device)
    assert np.allclose(got, wanted, rtol=0.02)


def test_fails(device):
    exponential(device)
    assert False


def test_without_a_program(device):
    assert device is not None


def test_the_same_numbers_each_time():
    assert len(set(LAUNCHES)) == 3, "a value for each test, whatever the fault"
"""


def session(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    pytester.makepyfile(SUITE.format(here=str(HERE)))
    return pytester.runpytest_subprocess("--tilewright", *options)


def test_scores_are_printed_worst_first(pytester):
    result = session(pytester, "--tilewright-grade-json=grades.json")
    result.assert_outcomes(passed=4, failed=1)
    text = result.stdout.str().split("= tilewright grades")[-1]
    assert text.index("::test_blind") < text.index("::test_tight")
    assert "not graded: " in text and "::test_fails: it fails without a fault" in text
    grades = json.loads((pytester.path / "grades.json").read_text())
    blind, tight = grades["tests"]
    assert blind["changed"] == tight["changed"] >= 5
    assert (blind["score"], tight["score"]) == (0.0, 1.0), tight["uncaught"]
    missed = blind["uncaught"][0]
    assert missed["file"].endswith(".cpp") and missed["line"] > 0
    # Findings of faults that were injected are nobody's failure.
    assert "tilewright findings" not in result.stdout.str()


@pytest.mark.parametrize("test, code", [("test_blind", 1), ("test_tight", 0)])
def test_a_threshold_fails_the_session(pytester, test, code):
    result = session(pytester, "--tilewright-grade-threshold=0.9", "-k", test)
    assert result.ret == code
    result.assert_outcomes(passed=1, deselected=4)


def test_grades_need_the_simulator(pytester):
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_subprocess("--tilewright-grade")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--tilewright-grade needs --tilewright*"])
