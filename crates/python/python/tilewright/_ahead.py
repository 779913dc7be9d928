"""Compiles the kernels of collected cases ahead, on a processor that is idle, while cases run.

A forked process goes through the cases that are still to come. Each runs as far as its first
program, whose kernels are compiled into the cache, and no further. The process writes nothing else
and is ended with the session.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ._settings import current


@contextlib.contextmanager
def compiling(session: pytest.Session) -> Iterator[None]:
    """Compiles ahead during a session's cases, if there is something to gain."""
    child = _start(session) if _is_useful(session) else None
    try:
        yield
    finally:
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _is_useful(session: pytest.Session) -> bool:
    processors = len(os.sched_getaffinity(0))
    is_idle = os.getloadavg()[0] <= processors - 1
    is_only_process = "PYTEST_XDIST_WORKER" not in os.environ
    return is_only_process and is_idle and processors > 1 and len(session.items) > 1


def _start(session: pytest.Session) -> int:
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            _become_silent(session.config)
            _go_ahead(session.items[1:], parent)
        finally:
            os._exit(0)
    return child


def _become_silent(config: pytest.Config) -> None:
    """Lets go of what the two processes would share: pytest's files for captured output."""
    captures: Any = config.pluginmanager.getplugin("capturemanager")
    if captures is not None:
        config.pluginmanager.unregister(captures)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.stdout = sys.stderr = open(os.devnull, "w")
    os.nice(10)


def _go_ahead(items: list[pytest.Item], parent: int) -> None:
    from _pytest.runner import runtestprotocol

    current.compiles_only = True
    for item, following in zip(items, [*items[1:], None], strict=True):
        if os.getppid() != parent:
            return
        runtestprotocol(item, log=False, nextitem=following)
