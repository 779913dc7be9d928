"""Runs programs: in a worker that persists between calls, or in this process."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from typing import Any

from . import _native, _sources, _worker, errors
from ._memory import Shared
from ._settings import current


def run(description: str, options: str, contents: dict[str, Shared]) -> dict[str, Any]:
    """The outcome of a program; the tensors' memory is read and written in place."""
    if not current.isolated:
        places = {name: memory.place for name, memory in contents.items()}
        try:
            return json.loads(_native.run(description, options, places))
        except (RuntimeError, ValueError) as error:
            raise errors.ProgramError(_sources.complaint(str(error))) from None
    return _current_worker().run(description, options, contents)


class Worker:
    """A process that holds the native module, and what it knows of tensors."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._link, theirs = socket.socketpair()
        script = os.path.join(os.path.dirname(__file__), "_worker.py")
        command = [sys.executable, "-I", script, str(_native.__file__), str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], start_new_session=True, stdin=subprocess.DEVNULL
        )
        theirs.close()
        self._known: set[int] = set()
        self.gone: list[int] = []

    @property
    def is_alive(self) -> bool:
        return self.owner == os.getpid() and self._process.poll() is None

    def run(self, description: str, options: str, contents: dict[str, Shared]) -> dict[str, Any]:
        """Sends a request and waits for its answer; a lost worker is an outcome as well."""
        new = {m.key: m for m in contents.values() if m.key not in self._known}
        request = {
            "description": description,
            "options": options,
            "contents": {name: memory.key for name, memory in contents.items()},
            "new": [[memory.key, memory.size] for memory in new.values()],
            "gone": self.gone,
        }
        try:
            descriptors = [memory.descriptor for memory in new.values()]
            _worker.send(self._link, request, descriptors)
            self._known |= set(new)
            self.gone = []
            message = self._wait()
        except (BrokenPipeError, ConnectionResetError):
            message = None
        except BaseException:
            # A time limit of the suite, or a key: the answer that is still to come must not be
            # taken for that to the next request.
            self._kill()
            raise
        if message is None:
            return _lost(self._end())
        if "error" in message:
            raise errors.ProgramError(_sources.complaint(message["error"]))
        return json.loads(message["outcome"])

    def forget(self, key: int) -> None:
        """Notes that a tensor's memory is gone."""
        if key in self._known:
            self._known.discard(key)
            self.gone.append(key)

    def _wait(self) -> dict[str, Any] | None:
        ready, _, _ = select.select([self._link], [], [], current.timeout)
        if not ready:
            self._kill()
            return {"outcome": json.dumps(_silent(current.timeout))}
        received = _worker.receive(self._link)
        return None if received is None else received[0]

    def _kill(self) -> None:
        """Ends the process and what it has forked, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _end(self) -> int:
        self._link.close()
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def close(self) -> None:
        """Ends the process."""
        self._link.close()
        if self.owner == os.getpid():
            self._end()


_worker_now: Worker | None = None


def _current_worker() -> Worker:
    global _worker_now
    if _worker_now is None or not _worker_now.is_alive:
        _worker_now = Worker()
    return _worker_now


def forget(key: int) -> None:
    """Tells the worker, if there is one, that a tensor's memory is gone."""
    if _worker_now is not None:
        _worker_now.forget(key)


def _lost(code: int) -> dict[str, Any]:
    if code < 0:
        end = f"signal {-code} ({signal.Signals(-code).name})"
    else:
        end = f"exit code {code}"
    title = f"the process that runs kernels ended with {end} during this program"
    return _ending("fail", "kernel-crash", title)


def _silent(seconds: float) -> dict[str, Any]:
    title = f"the process that runs kernels did not answer for {seconds:g} s and was ended"
    return _ending("hang", "endless-loop", title)


def _ending(verdict: str, finding: str, title: str) -> dict[str, Any]:
    record = {
        "id": finding,
        "title": title,
        "blame": "kernel-bug",
        "count": 1,
        "marks": [],
        "facts": ["the next program runs in a new process; tensors keep their contents"],
        "help": None,
        "rendered": f"error[{finding}]: {title}\n",
    }
    return {
        "verdict": verdict,
        "findings": [record],
        "completed": False,
        "cycles": 0,
        "seed": 0,
        "digest": "",
        "wall_seconds": 0.0,
        "cores": 0,
        "printed": [],
        "notes": [],
        "outputs": {},
    }
