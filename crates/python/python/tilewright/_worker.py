"""The process that kernels run in. Started as a script, so that it loads nothing but the
native module: `python -I _worker.py NATIVE_MODULE SOCKET`.

A message is eight bytes of length and a JSON object. A request names the tensors it needs by
key; descriptors of those that are new come with it.
"""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import json
import mmap
import os
import signal
import socket
import sys
from typing import Any


def receive(link: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """One message with its descriptors; `None` when the other side is gone."""
    head, descriptors = b"", []
    while len(head) < 8:
        try:
            part, given, _, _ = socket.recv_fds(link, 8 - len(head), 253)
        except ConnectionResetError:
            # The parent was killed before it had read an answer.
            return None
        if not part:
            return None
        head += part
        descriptors += given
    size = int.from_bytes(head, "little")
    body = bytearray()
    while len(body) < size:
        part = link.recv(min(1 << 20, size - len(body)))
        if not part:
            return None
        body += part
    return json.loads(body), descriptors


def send(link: socket.socket, message: dict[str, Any], descriptors: list[int]) -> None:
    """Sends one message with descriptors."""
    body = json.dumps(message).encode()
    head = len(body).to_bytes(8, "little")
    if descriptors:
        socket.send_fds(link, [head], descriptors)
    else:
        link.sendall(head)
    link.sendall(body)


def place(memory: mmap.mmap) -> tuple[int, int]:
    """Address and size of a map."""
    return ctypes.addressof(ctypes.c_char.from_buffer(memory)), len(memory)


def answer(native: Any, request: dict[str, Any], tensors: dict[int, mmap.mmap]) -> dict[str, Any]:
    """Runs what is asked for."""
    contents = {name: place(tensors[key]) for name, key in request["contents"].items()}
    try:
        outcome = native.run(request["description"], request["options"], contents)
    except Exception as error:
        return {"error": str(error), "kind": type(error).__name__}
    return {"outcome": outcome}


def main() -> None:
    """Serves one parent until it is gone."""
    path, number = sys.argv[1], int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loader = importlib.machinery.ExtensionFileLoader("_native", path)
    spec = importlib.util.spec_from_file_location("_native", path, loader=loader)
    assert spec is not None
    native = importlib.util.module_from_spec(spec)
    loader.exec_module(native)
    link = socket.socket(fileno=number)
    tensors: dict[int, mmap.mmap] = {}
    while (message := receive(link)) is not None:
        request, descriptors = message
        for key in request["gone"]:
            tensors.pop(key, None)
        for (key, size), descriptor in zip(request["new"], descriptors, strict=True):
            tensors[key] = mmap.mmap(descriptor, max(size, 1))
            os.close(descriptor)
        try:
            send(link, answer(native, request, tensors), [])
        except (BrokenPipeError, ConnectionResetError):
            return  # The parent was killed while it waited.


if __name__ == "__main__":
    main()
