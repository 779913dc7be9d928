"""One program on one device: description, run, what becomes of its tensors."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from . import _description, _launches, _native, _runner, errors
from ._memory import Shared
from .references import Reference
from .result import Inputs, Result
from ._settings import current
from .ttnn.descriptors import ProgramDescriptor
from .ttnn.device import Buffer, Device
from .ttnn.tensor import Tensor


def execute(
    io_tensors: Sequence[Tensor],
    descriptor: ProgramDescriptor,
    name: str = "",
    is_kept: bool = False,
    reference: Reference | None = None,
) -> Result:
    """Runs a program on the device of its tensors; the last of them is the output. A result that is
    kept can be captured and traced later."""
    device = _device(io_tensors)
    name = name or _caller_name()
    named = _named(io_tensors, device)
    described = _description.program(name, descriptor, [one[:3] for one in named])
    for one, (_, role, _, is_inferred) in zip(described["tensors"], named, strict=True):
        if role == "output" and is_inferred:
            one["inferred"] = True
    text = json.dumps(described)
    contents = {tensor_name: _buffer(tensor) for tensor_name, _, tensor, _ in named}
    options = json.dumps(
        current.request()
        | {"device": device.product}
        | {"filled": [tensor_name for tensor_name, one in contents.items() if one.is_filled]}
    )
    if reference is not None:
        names = {id(buffer): tensor_name for tensor_name, buffer in contents.items()}
        options = json.dumps(json.loads(options) | {"reference": reference._request(names)})
    graded = _launches.recorder
    if graded is not None:
        options = json.dumps(json.loads(options) | graded.options())
    memory = {tensor_name: buffer.memory for tensor_name, buffer in contents.items()}
    if current.compiles_only:
        _native.compile(text, options)
        raise errors.CompiledAhead(name)
    is_captured = current.captures is not None
    inputs = Inputs(text, options, _copies(memory)) if is_kept or is_captured else None
    outcome = _runner.run(text, options, memory)
    if graded is not None:
        outputs = [one[0] for one in named if one[1] == "output"]
        graded.note(outcome, [bytes(memory[one].view) for one in outputs])
    device._programs.add(hash(_shape_of(described)))
    for tensor_name, role, _, _ in named:
        if role == "output":
            contents[tensor_name].is_filled = True
    device._note_run(outcome["cycles"], outcome["cores"])
    result = Result.from_record(name, outcome, {"output": io_tensors[-1]})
    result = dataclasses.replace(result, _inputs=inputs)
    if current.captures is not None and not result:
        result = dataclasses.replace(result, captured=_capture(current.captures, result))
    return result if is_kept else dataclasses.replace(result, _inputs=None)


def _copies(memory: dict[str, Shared]) -> dict[str, bytes]:
    return {tensor_name: bytes(one.view) for tensor_name, one in memory.items()}


def _capture(folder: str, result: Result) -> str | None:
    """Leaves the program in a file of its own; a second one of the same name gets a number."""
    stem = re.sub(r"[^A-Za-z0-9_.=-]+", "_", result.name).strip("_") or "program"
    os.makedirs(folder, exist_ok=True)
    for number in itertools.count(1):
        path = os.path.join(folder, f"{stem}.cap" if number == 1 else f"{stem}-{number}.cap")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            continue
        try:
            return str(result.capture(path))
        except (RuntimeError, ValueError):
            os.unlink(path)
            return None
    return None


def _device(io_tensors: Sequence[Tensor]) -> Device:
    if not io_tensors:
        raise RuntimeError("generic_op: io_tensors must name at least the output tensor")
    devices = []
    for place, tensor in enumerate(io_tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"generic_op(): io_tensors[{place}] is no ttnn.Tensor: {tensor!r}")
        device = tensor._live_buffer().device
        devices.append(device)
    if any(device is not devices[0] for device in devices):
        raise RuntimeError("generic_op: the tensors lie on different devices")
    return devices[0]


def _buffer(tensor: Tensor) -> Buffer:
    return tensor._live_buffer()


def _named(
    io_tensors: Sequence[Tensor], device: Device
) -> list[tuple[str, str, Tensor, bool]]:
    """Name, role and tensor of everything that is live, and whether the role is a guess.

    The last tensor is the output. Another one that nothing has filled is taken for one, too.
    """
    last = len(io_tensors) - 1
    named: dict[int, tuple[str, str, Tensor, bool]] = {}
    for place, tensor in reversed(list(enumerate(io_tensors))):
        buffer = _buffer(tensor)
        if id(buffer) in named:
            continue
        if place == last:
            named[id(buffer)] = ("output", "output", tensor, False)
        elif buffer.is_filled:
            named[id(buffer)] = (f"input{place}", "input", tensor, False)
        else:
            named[id(buffer)] = (f"output{place}", "output", tensor, True)
    ordered = list(reversed(named.values()))
    others = [buffer for buffer in device._buffers if id(buffer) not in named]
    others.sort(key=lambda buffer: (buffer.spec.memory_config.buffer_type, buffer.address))
    for number, buffer in enumerate(others):
        ordered.append((f"tensor{number}", "other", Tensor(buffer.spec, buffer=buffer), False))
    return ordered


def _shape_of(described: dict[str, Any]) -> str:
    """What decides whether a program counts as one that was there before: all but addresses."""
    kernels = [
        {name: value for name, value in kernel.items() if name != "runtime_args"}
        for kernel in described["kernels"]
    ]
    return json.dumps([kernels, described["cbs"], described["semaphores"]], sort_keys=True)


def _caller_name() -> str:
    """The test that runs, or the user's script."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    if test:
        return test.rsplit(" (", 1)[0].rsplit("::", 1)[-1]
    return os.path.basename(sys.argv[0] or "program") or "program"
