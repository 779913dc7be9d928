"""`pip install` into a clean environment, followed by the commands of the page."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "src" / "python.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.skipif(
    "TILEWRIGHT_INSTALL" not in os.environ, reason="builds the package: cargo xtask python sets it"
)
def test_the_commands_of_the_page(tmp_path):
    """From `python3 -m venv` to the caught hang, in a folder that has nothing else."""
    install, example, run = blocks("sh")[0], blocks("python")[0], blocks("sh")[1]
    assert install.count("./crates/python") == 1
    install = install.replace(".", str(ROOT), 1)
    (tmp_path / "test_hang.py").write_text(example)
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment.pop("PYTHONPATH", None)

    def shell(text):
        return subprocess.run(
            ["sh", "-e", "-c", text], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    installed = shell(install)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    found = shell(run)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "cb_wait_front(0, 2);" in found.stdout and "1 failed" in found.stdout
