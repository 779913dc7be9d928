"""The command that the package brings."""

import json
import subprocess
import sys


def command(*arguments):
    typed = [sys.executable, "-m", "tilewright", *arguments]
    return subprocess.run(typed, capture_output=True, text=True, check=False)


def test_the_command_runs_an_operation_and_its_exit_code_is_that_of_the_process():
    passed = command("run", "copy", "--shape", "32x32", "--json")
    assert passed.returncode == 0, passed.stderr
    assert json.loads(passed.stdout)["verdict"] == "pass"
    refused = command("rnu", "copy")
    assert refused.returncode == 2
    assert "'run'" in refused.stderr


def test_the_package_needs_no_pytest():
    """A user of the command or of the functions need not have it installed."""
    hidden = "import sys; sys.modules['pytest'] = None; sys.modules['_pytest'] = None; "
    imports = "import tilewright, tilewright.ops, tilewright.ttnn, tilewright.__main__"
    subprocess.run([sys.executable, "-c", hidden + imports], check=True)
