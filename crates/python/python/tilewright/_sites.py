"""The line of the user's code that declares a part of a program."""

from __future__ import annotations

import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def caller() -> dict[str, object] | None:
    """File and line of the nearest frame outside this package, as descriptions have them."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None or not os.path.exists(frame.f_code.co_filename):
        return None
    return {"file": frame.f_code.co_filename, "line": frame.f_lineno}
