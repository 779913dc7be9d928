"""The host's side of multicasts: what kernels with tt-metal's `mcast_pipe.hpp` are told.

A family of multicasts is a list of lines: receivers, and the cores that send to them. `Mcast1D` has
a line for each row or column of a rectangle, `Mcast2D` has one, which is the rectangle. Compile-time
arguments are the same on all cores; runtime arguments name cores by their NoC coordinates.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import _sources
from .cores import CoreCoord, CoreRangeSet, _columns
from .descriptors import SemaphoreDescriptor
from .device import Device
from .types import NOC

#: No semaphore; also: as many acknowledgements as the sender at hand has receivers.
_NONE = 0xFFFFFFFF
_HEADER = "ttnn/cpp/ttnn/kernel_lib/mcast_pipe.hpp"


class McastDataReady(enum.IntEnum):
    """How receivers learn that data has come."""

    Flag = 0
    Counter = 1


class Mcast1DShape(enum.Enum):
    """Which way a family's multicasts go."""

    PerRow = 0
    PerColumn = 1


class Mcast1DSenderPlacement(enum.Enum):
    """Whether the sender has the same place in every line, or the next one in the next line."""

    Uniform = 0
    Diagonal = 1


class McastConfig:
    """How a family of multicasts works; everything is given by keyword."""

    def __init__(
        self,
        *,
        noc: NOC = NOC.NOC_0,
        handshake: bool = True,
        data_ready: McastDataReady = McastDataReady.Flag,
        rotating_sender: bool = False,
        base_sem_id: int = 0,
        sem_ids: Sequence[int] | None = None,
    ) -> None:
        self.noc, self.handshake, self.data_ready = noc, handshake, data_ready
        self.rotating_sender, self.base_sem_id = rotating_sender, base_sem_id
        self.sem_ids = None if sem_ids is None else list(sem_ids)


@dataclass(frozen=True)
class _Line:
    """Receivers in order, the cores that may send to them, and the one that does."""

    receivers: list[CoreCoord]
    senders: list[CoreCoord]
    sender: CoreCoord

    def fanout(self, sender: CoreCoord) -> int:
        return len(self.receivers) - (sender in self.receivers)


class _Family:
    """What both kinds of families answer."""

    def __init__(self, device: Device, config: McastConfig, lines: list[_Line]) -> None:
        if not isinstance(device, Device):
            raise TypeError(f"{type(self).__name__}(): device is no ttnn device: {device!r}")
        self._device, self._config, self._lines = device, config, lines
        fanouts = [line.fanout(one) for line in lines for one in self._sending(line)]
        self._active = any(fanouts)
        self._acknowledged = fanouts[0] if len(set(fanouts)) == 1 else _NONE
        self._least_fanout = min(fanouts)
        ids = config.sem_ids
        if ids is not None and not ids:
            raise RuntimeError(f"{type(self).__name__}: sem_ids must name the data-ready semaphore")
        given = [config.base_sem_id, config.base_sem_id + 1] if ids is None else [*ids, _NONE]
        self._data_ready = given[0]
        self._consumer_ready = given[1] if config.handshake else _NONE

    def _sending(self, line: _Line) -> list[CoreCoord]:
        return line.senders if self._config.rotating_sender else [line.sender]

    def owned_semaphores(self) -> list[SemaphoreDescriptor]:
        """The semaphores that this family adds to a program; none if their ids were given."""
        if self._config.sem_ids is not None:
            return []
        cores = {core for line in self._lines for core in line.receivers}
        cores |= {core for line in self._lines for core in self._sending(line)}
        ranges = CoreRangeSet(_columns(sorted(cores)))
        ids = [self._data_ready, *([self._consumer_ready] if self._config.handshake else [])]
        return [SemaphoreDescriptor(id=one, core_ranges=ranges, initial_value=0) for one in ids]

    def compile_time_args(self, pre_handshake: bool | None = None) -> list[int]:
        """The arguments of `McastArgs`; `pre_handshake` is for a kernel that differs in it."""
        waits = self._config.handshake if pre_handshake is None else pre_handshake
        counts = self._config.data_ready == McastDataReady.Counter
        words = [int(self._active), self._data_ready, self._consumer_ready]
        words += [self.num_active(), int(waits) | int(counts) << 1]
        rotating = self.num_senders() if self._config.rotating_sender else 0
        return [*words, rotating][: _words()]

    def num_active(self) -> int:
        """Acknowledgements that a sender waits for."""
        return self._acknowledged

    def num_senders(self) -> int:
        """Rounds in which another core sends; 1 if the sender is fixed."""
        return len(self._lines[0].senders) if self._config.rotating_sender else 1

    def num_semaphores(self) -> int:
        """Semaphores that this family adds."""
        return 0 if self._config.sem_ids is not None else 1 + bool(self._config.handshake)

    def next_base_sem_id(self) -> int:
        """The first id that is free for another family on these cores."""
        if self._config.sem_ids is not None:
            raise RuntimeError(
                f"{type(self).__name__}.next_base_sem_id(): the ids were given by sem_ids"
            )
        return self._config.base_sem_id + self.num_semaphores()

    def active(self) -> bool:
        """Whether anything is sent at all."""
        return self._active

    def is_sender(self, core: CoreCoord) -> bool:
        """Whether a core sends, in some round."""
        return any(core in self._sending(line) for line in self._lines)

    def num_receivers(self, core: CoreCoord) -> int:
        """The cores that a core's multicast reaches; none for one that does not send."""
        lines = [line for line in self._lines if core in self._sending(line)]
        return lines[0].fanout(core) if lines and self._active else 0

    def _corners(self, cores: list[CoreCoord]) -> list[int]:
        """The rectangle around cores, from the corner where the NoC comes in."""
        places = [self._device.worker_core_from_logical_core(core) for core in cores]
        columns, rows = [place.x for place in places], [place.y for place in places]
        low, high = [min(columns), min(rows)], [max(columns), max(rows)]
        return [*high, *low] if self._config.noc == NOC.NOC_1 else [*low, *high]

    def _pair(self, core: CoreCoord) -> list[int]:
        place = self._device.worker_core_from_logical_core(core)
        return [place.x, place.y]


class Mcast1D(_Family):
    """One multicast in each row, or in each column, of a rectangle of receivers."""

    def __init__(
        self,
        device: Device,
        grid: CoreRangeSet,
        shape: Mcast1DShape,
        *given: Any,
        **named: Any,
    ) -> None:
        start, placement, config, sender_grid = _placed(given, named)
        is_row = shape == Mcast1DShape.PerRow
        lines = _lines(grid, grid if sender_grid is None else sender_grid, is_row)
        if config.rotating_sender and placement == Mcast1DSenderPlacement.Diagonal:
            raise RuntimeError("Mcast1D: a diagonal sender does not rotate")
        spans = {len(senders) for _, senders in lines}
        if len(spans) != 1:
            raise RuntimeError("Mcast1D: the lines of sender_grid differ in length")
        span = spans.pop()
        if not config.rotating_sender and not 0 <= start < span:
            raise RuntimeError(f"Mcast1D: the sender's index {start} is not below {span}")
        step = placement == Mcast1DSenderPlacement.Diagonal
        found = [
            _Line(receivers, senders, senders[(start + step * place) % span])
            for place, (receivers, senders) in enumerate(lines)
        ]
        self._is_row = is_row
        super().__init__(device, config, found)

    def runtime_args(self, core: CoreCoord) -> list[int]:
        """A sender's rectangle, or where a receiver's sender is; with rotating senders, the
        rectangle and all of them."""
        line = self._line_of(core)
        if self._config.rotating_sender:
            corners = self._corners(line.receivers) if self._active else [0, 0, 0, 0]
            return [*corners, *(word for one in line.senders for word in self._pair(one))]
        if core != line.sender:
            return [*self._pair(line.sender), 0, 0]
        if not line.fanout(core) and _words() == 5:
            return [0, 0, 0, 0]
        is_first, is_last = (line.receivers[at] == core for at in (0, -1))
        others = [one for one in line.receivers if one != core]
        at_edge = others and (is_first or is_last)
        return self._corners(others if at_edge else line.receivers)

    def _line_of(self, core: CoreCoord) -> _Line:
        for line in self._lines:
            first = line.receivers[0]
            if (core.y == first.y) if self._is_row else (core.x == first.x):
                return line
        raise RuntimeError(f"Mcast1D: core {core} is in none of the lines")


class Mcast2D(_Family):
    """One multicast to a rectangle, by a core that lies in it or not."""

    def __init__(
        self,
        device: Device,
        mcast_rect: CoreRangeSet,
        sender: CoreCoord,
        config: McastConfig | None = None,
        num_active: int = 0,
        sender_grid: CoreRangeSet | None = None,
    ) -> None:
        config = config or McastConfig()
        receivers = [core for row in _rows(mcast_rect, "Mcast2D") for core in row]
        if sender_grid is not None and not config.rotating_sender:
            raise RuntimeError("Mcast2D: sender_grid is for senders that rotate")
        if config.rotating_sender and sender_grid is None and sender not in receivers:
            raise RuntimeError(f"Mcast2D: a sender that rotates lies inside; {sender} does not")
        senders = [sender]
        if config.rotating_sender:
            grid = mcast_rect if sender_grid is None else sender_grid
            senders = sorted(_cores(grid), key=lambda core: (core.y, core.x))
        super().__init__(device, config, [_Line(receivers, senders, senders[0])])
        if num_active > self._least_fanout:
            raise RuntimeError(
                f"Mcast2D: num_active {num_active} exceeds the {self._least_fanout} receivers"
            )
        self._acknowledged = num_active or self._acknowledged

    def runtime_args(self, core: CoreCoord) -> list[int]:
        """As those of `Mcast1D`."""
        [line] = self._lines
        if self._config.rotating_sender:
            pairs = [word for one in line.senders for word in self._pair(one)]
            return [*self._corners(line.receivers), *pairs]
        if core == line.sender:
            return self._corners(line.receivers)
        return [*self._pair(line.sender), 0, 0]

    def sender_in_rect(self) -> bool:
        """Whether the (first) sender is one of the receivers' cores."""
        return self._lines[0].sender in self._lines[0].receivers


def _placed(given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of `Mcast1D` after its shape: index, placement if any, configuration, grid."""
    given_list = list(given)
    start = _taken(given_list, named, int, ("sender_index", "starting_sender_index"), 0)
    placement = _taken(
        given_list, named, Mcast1DSenderPlacement, ("sender_placement",), Mcast1DSenderPlacement.Uniform
    )
    config = _taken(given_list, named, McastConfig, ("config",), None)
    grid = _taken(given_list, named, CoreRangeSet, ("sender_grid",), None)
    if given_list or named:
        extra = next(iter(named), given_list[:1])
        raise TypeError(f"Mcast1D(): incompatible arguments: {extra!r}")
    return start, placement, config or McastConfig(), grid


def _taken(
    given: list[Any], named: dict[str, Any], kind: type, names: tuple[str, ...], usual: Any
) -> Any:
    """The next argument if it is of a kind, or the one of a name."""
    if given and isinstance(given[0], kind):
        return given.pop(0)
    found = [named.pop(name) for name in names if name in named]
    return found[0] if found else usual


def _cores(grid: CoreRangeSet) -> list[CoreCoord]:
    return [core for part in grid.ranges() for core in part]


def _rows(grid: CoreRangeSet, who: str) -> list[list[CoreCoord]]:
    """The rows of a set of cores, which must be one rectangle."""
    if not grid.ranges():
        raise RuntimeError(f"{who}: the set of receivers is empty")
    box = grid.bounding_box()
    if grid.num_cores() != box.size():
        raise RuntimeError(f"{who}: the receivers {grid} are no rectangle")
    columns = range(box.start.x, box.end.x + 1)
    return [[CoreCoord(x, y) for x in columns] for y in range(box.start.y, box.end.y + 1)]


def _lines(
    grid: CoreRangeSet, sender_grid: CoreRangeSet, is_row: bool
) -> list[tuple[list[CoreCoord], list[CoreCoord]]]:
    """Receivers and possible senders of each row or column, in order."""
    rows = _rows(grid, "Mcast1D")
    lines = rows if is_row else [list(column) for column in zip(*rows, strict=True)]
    senders = sorted(_cores(sender_grid))
    found = []
    for line in lines:
        axis = line[0].y if is_row else line[0].x
        own = [core for core in senders if (core.y if is_row else core.x) == axis]
        if not own:
            raise RuntimeError(f"Mcast1D: no sender for the line of {line[0]}")
        found.append((line, own))
    if sum(len(own) for _, own in found) != len(senders):
        raise RuntimeError(f"Mcast1D: senders {sender_grid} lie beside the receivers {grid}")
    return found


def _words() -> int:
    """Compile-time arguments of a family, as the headers of the user's tree read them."""
    for root in _sources.roots():
        header = root / _HEADER
        if header.is_file():
            offset = r"next_compile_time_args_offset\(\)\s*\{\s*return\s+CT_BASE\s*\+\s*(\d+)"
            found = re.search(offset, header.read_text(errors="replace"))
            if found is None or found[1] not in "56":
                raise NotImplementedError(f"tilewright does not serve this version of {header}")
            return int(found[1])
    return 6
