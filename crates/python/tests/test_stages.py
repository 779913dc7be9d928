"""`tilewright new` and `tilewright stages`, as a user starts them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEMPLATES = ("elementwise", "reduction", "normalisation", "matmul")
EXAMPLE = ROOT / "examples" / "layernorm_fused_rm"


@pytest.fixture(scope="session")
def binary() -> str:
    """The command line; continuous integration has built it."""
    found = os.environ.get("TILEWRIGHT_BINARY") or str(ROOT / "target" / "debug" / "tilewright")
    if not Path(found).is_file():
        assert os.environ.get("TILEWRIGHT_INSTALL") != "1", f"{found} is missing"
        pytest.skip("cargo build -p tilewright makes the command line")
    return found


def tilewright(binary: str, *words: str, **environment: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "TILEWRIGHT_PYTHON": sys.executable, **environment}
    return subprocess.run(
        [binary, *map(str, words)], capture_output=True, text=True, env=environment
    )


def new(binary: str, folder: Path, template: str, name: str = "my_op") -> Path:
    words = ("new", name, "--template", template, "--output", str(folder), "--json")
    answer = json.loads(tilewright(binary, *words).stdout)
    assert answer["template"] == template
    return Path(answer["directory"])


def stages(binary: str, folder: Path, *words: str, **environment: str) -> dict:
    ended = tilewright(binary, "stages", str(folder), "--json", *words, **environment)
    answer = json.loads(ended.stdout)
    failed = [stage for stage in answer["stages"] if stage["status"] == "fail"]
    assert ended.returncode == (1 if failed else 0), ended.stderr
    return answer


def statuses(answer: dict) -> list[str]:
    return [stage["status"] for stage in answer["stages"]]


def files(folder: Path) -> dict[str, bytes]:
    """Every file that is not ours."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    own = (".tilewright", "breadcrumbs.jsonl")
    return {str(p): p.read_bytes() for p in paths if not set(own) & set(p.parts)}


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_passes_all_stages(binary, tmp_path, template):
    folder = new(binary, tmp_path, template)
    before = files(folder)
    answer = stages(binary, folder, "--report", str(tmp_path / "stages.md"))
    assert statuses(answer) == ["pass"] * 7, answer
    assert all(stage["tests"] > 0 for stage in answer["stages"])
    assert files(folder) == before, "the user's files are left alone"
    assert "7 of 7 stages pass." in (tmp_path / "stages.md").read_text()


#: Where templates differ: the tensors of a launch, the output's shape, the arguments of start-up.
PLACES = {
    "elementwise": ("(a, b)", "list(a.shape)", "cb_a, cb_b, cb_out"),
    "reduction": ("(x,)", "[*list(x.shape)[:-1], 1]", "cb_x, cb_scaler, cb_out"),
    "normalisation": ("(input, gamma, beta)", "list(x.shape)", "cb_sticks, cb_scaler, cb_x"),
    "matmul": ("(a, b)", "[a.shape[0], b.shape[1]]", "cb_b, cb_a, cb_out"),
}


def break_of(template: str, number: int) -> tuple[str, str, str]:
    """What breaks a stage: a file, what is in it, what is put in its place."""
    tensors, shape, buffers = PLACES[template]
    return {
        1: ("my_op/__init__.py", '__all__ = ["my_op"]', "__all__ = []"),
        2: ("my_op/operation.py", "dtype == ttnn.bfloat16", "dtype is not None"),
        3: ("my_op/operation.py", f"return launch({tensors}, ", f"return {tensors}[0] or ("),
        4: ("my_op/operation.py", shape, "[32, 32]"),
        5: ("my_op/program.py", "16: Ring(2", "16: Ring(3"),
        6: ("my_op/kernels/stub/writer.cpp", "(first_unit + units)", "(first_unit + units - 1)"),
        7: ("my_op/kernels/compute.cpp", f"    compute_kernel_hw_startup({buffers});\n", ""),
    }[number]


@pytest.fixture(scope="module")
def whole(binary, tmp_path_factory) -> Path:
    """An operation that passes, and was seen to."""
    folder = new(binary, tmp_path_factory.mktemp("whole"), "elementwise")
    assert statuses(stages(binary, folder)) == ["pass"] * 7
    return folder


@pytest.mark.parametrize("number", range(1, 8))
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_broken_stage_is_named(binary, tmp_path, template, number):
    folder = new(binary, tmp_path, template)
    file, old, replacement = break_of(template, number)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, replacement))
    answer = stages(binary, folder)
    wanted = ["pass"] * (number - 1) + ["fail"] + ["blocked"] * (7 - number)
    assert statuses(answer) == wanted, answer
    assert answer["stages"][number - 1]["blocker"]
    if number >= 6:
        finding = answer["stages"][number - 1]["finding"]
        assert finding["id"] == {6: "unwritten-output", 7: "missing-startup"}[number]


def test_what_has_passed_and_fails_is_a_regression(binary, tmp_path, whole):
    folder = Path(shutil.copytree(whole, tmp_path / "my_op"))
    file, old, replacement = break_of("elementwise", 2)
    (folder / file).write_text((folder / file).read_text().replace(old, replacement))
    assert stages(binary, folder)["regressions"] == [2]


def test_the_operation_that_hung_and_its_repair(binary, tmp_path):
    ignore = shutil.ignore_patterns(".tilewright", "breadcrumbs.jsonl", "__pycache__")
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "layernorm_fused_rm", ignore=ignore))
    answer = stages(binary, folder, LAYERNORM_FUSED_RM_FAULT="MISSING_STARTUP")
    assert statuses(answer) == ["pass"] * 6 + ["fail"]
    finding = answer["stages"][6]["finding"]
    assert finding["id"] == "missing-startup"
    assert "compute_kernel_hw_startup" in finding["help"]
    kernel = Path(finding["file"])
    assert kernel == folder / "layernorm_fused_rm" / "kernels" / "compute.cpp"
    line = kernel.read_text().splitlines()[finding["line"] - 1]
    assert "(" in line, "a call that needs what is not configured"
    repaired = stages(binary, folder)
    assert statuses(repaired) == ["pass"] * 7
    assert repaired["stages"][6]["change"] == "passes-now"
    lines = [json.loads(line) for line in (folder / "breadcrumbs.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines] == (["start"] + ["test"] * 7 + ["complete"]) * 2
    assert lines[-1]["passed"] == 7 and lines[7]["stage"]["finding"]["id"] == "missing-startup"


def test_the_example_is_what_the_template_gives(binary, tmp_path):
    folder = new(binary, tmp_path, "normalisation", EXAMPLE.name)
    own = {"import os", "#ifndef FAULT_MISSING_STARTUP", "#endif"}
    for path, text in files(folder).items():
        relative = Path(path).relative_to(folder)
        lines = (EXAMPLE / relative).read_text().splitlines()
        kept = [one for one in lines if one not in own and "FAULT" not in one and "hung" not in one]
        assert kept == text.decode().splitlines(), relative


def test_stages_that_are_not_asked_for_do_not_run(binary, whole, tmp_path):
    folder = Path(shutil.copytree(whole, tmp_path / "my_op"))
    answer = stages(binary, folder, "--through", "2")
    assert statuses(answer) == ["pass"] * 2 + ["not-run"] * 5
    shown = stages(binary, folder, "--show")
    assert shown["stages"] == answer["stages"]


def test_a_python_without_the_package_is_refused(binary, whole):
    ended = tilewright(binary, "stages", str(whole), "--python", "/bin/false")
    assert ended.returncode == 2
    assert "no Python with the packages `tilewright` and `pytest` was found" in ended.stderr
    assert "pip install tilewright pytest" in ended.stderr


def test_tests_of_a_scaffold_are_graded_by_the_command_line(binary, whole):
    node = f"{whole}/tests/test_7_kernels.py::test_values[uniform]"
    ended = tilewright(binary, "grade", node, "--json", "--threshold", "0.9")
    grade = json.loads(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    assert grade["comparison"]["own"] == "its assertions"
    assert grade["changed"] >= 5 and grade["score"] == 1.0, grade["uncaught"]
