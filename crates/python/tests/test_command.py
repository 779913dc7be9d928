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
