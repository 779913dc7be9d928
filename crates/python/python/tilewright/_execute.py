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

from . import _description, _native, _runner
from ._memory import Shared
from .result import Finding, Result, Statistics
from ._settings import current
from .ttnn.descriptors import ProgramDescriptor
from .ttnn.device import Buffer, Device
from .ttnn.tensor import Tensor


def execute(io_tensors: Sequence[Tensor], descriptor: ProgramDescriptor, name: str = "") -> Result:
    """Runs a program on the device of its tensors; the last of them is the output."""
    device = _device(io_tensors)
    name = name or _caller_name()
    named = _named(io_tensors, device)
    described = _description.program(name, descriptor, [one[:3] for one in named])
    for one, (_, role, _, is_inferred) in zip(described["tensors"], named, strict=True):
        if role == "output" and is_inferred:
            one["inferred"] = True
    text = json.dumps(described)
    contents = {tensor_name: _buffer(tensor) for tensor_name, _, tensor, _ in named}
    options = current.request() | {
        "filled": [tensor_name for tensor_name, one in contents.items() if one.is_filled]
    }
    memory = {tensor_name: buffer.memory for tensor_name, buffer in contents.items()}
    outcome = _runner.run(text, json.dumps(options), memory)
    device._programs.add(hash(_shape_of(described)))
    for tensor_name, role, _, _ in named:
        if role == "output":
            contents[tensor_name].is_filled = True
    result = _result(name, outcome, io_tensors, text)
    if current.captures is not None and not result:
        path = _capture(current.captures, name, text, json.dumps(options), memory)
        result = dataclasses.replace(result, captured=path)
    return result


def _capture(
    folder: str, name: str, text: str, options: str, memory: dict[str, Shared]
) -> str | None:
    """Leaves the program in a file of its own; a second one of the same name gets a number."""
    places = {tensor_name: one.place for tensor_name, one in memory.items()}
    try:
        contents = _native.capture(text, options, places)
    except (RuntimeError, ValueError):
        return None
    stem = re.sub(r"[^A-Za-z0-9_.=-]+", "_", name).strip("_") or "program"
    os.makedirs(folder, exist_ok=True)
    for number in itertools.count(1):
        path = os.path.join(folder, f"{stem}.cap" if number == 1 else f"{stem}-{number}.cap")
        try:
            with open(path, "xb") as file:
                file.write(contents)
        except FileExistsError:
            continue
        return path
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


def _result(
    name: str, outcome: dict[str, Any], io_tensors: Sequence[Tensor], text: str
) -> Result:
    statistics = Statistics(
        **{one.name: outcome[one.name] for one in dataclasses.fields(Statistics)}
    )
    return Result(
        name=name,
        verdict=outcome["verdict"],
        findings=tuple(Finding.from_record(one) for one in outcome["findings"]),
        statistics=statistics,
        outputs={"output": io_tensors[-1]},
        printed=tuple(outcome["printed"]),
        notes=tuple(outcome["notes"]),
        completed=outcome["completed"],
        _request=text.encode(),
    )
