"""What ttnn's device profiler tells of programs: here, the cycles that the simulation counted.

Cycles come from the simulator's timing, which is a model; they are no measurement of a card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .device import Device
from .types import Arch

#: Cycles in a nanosecond.
_CLOCK = {Arch.WORMHOLE_B0: 1.0, Arch.BLACKHOLE: 1.35}
_KERNEL = "DEVICE KERNEL DURATION [ns]"


@dataclass(frozen=True)
class ProgramSingleAnalysisResult:
    """One figure of a program: nanoseconds, and the cycles that it lies between."""

    start_timestamp: int
    end_timestamp: int
    duration: float


@dataclass(frozen=True)
class ProgramExecutionUID:
    """Which run of a program it was, counted from the opening of the device."""

    runtime_id: int
    trace_id: int = 0
    trace_id_counter: int = 0


@dataclass(frozen=True)
class ProgramAnalysisData:
    """The figures of one run of a program."""

    program_execution_uid: ProgramExecutionUID
    program_analyses_results: dict[str, ProgramSingleAnalysisResult]
    core_count: int
    num_available_cores: int


_latest: dict[int, list[ProgramAnalysisData]] = {}
_all: dict[int, list[ProgramAnalysisData]] = {}


def ReadDeviceProfiler(device: Device, *args: Any, **kwargs: Any) -> None:
    """Makes the runs since the last call the latest ones."""
    _latest[device.id()] = [_analysis(device, *one) for one in device._unread]
    _all.setdefault(device.id(), []).extend(_latest[device.id()])
    device._unread.clear()


def get_latest_programs_perf_data() -> dict[int, list[ProgramAnalysisData]]:
    """The runs before the last `ReadDeviceProfiler`, for each device."""
    return {device: list(runs) for device, runs in _latest.items()}


def get_all_programs_perf_data() -> dict[int, list[ProgramAnalysisData]]:
    """All runs that `ReadDeviceProfiler` has read, for each device."""
    return {device: list(runs) for device, runs in _all.items()}


def _analysis(device: Device, number: int, cycles: int, cores: int) -> ProgramAnalysisData:
    grid = device.compute_with_storage_grid_size()
    duration = cycles / _CLOCK[device.arch()]
    result = ProgramSingleAnalysisResult(0, cycles, duration)
    uid = ProgramExecutionUID(runtime_id=number)
    return ProgramAnalysisData(uid, {_KERNEL: result}, cores, grid.x * grid.y)
