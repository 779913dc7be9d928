"""The command ``tilewright``, as the package brings it: ``tilewright`` or ``python -m tilewright``."""

import signal
import sys

from tilewright import _native


def main() -> None:
    """Runs the command with the arguments of this process, and ends with its exit code."""
    # An interrupt ends the command at once, as it does for the binary.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["tilewright", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
