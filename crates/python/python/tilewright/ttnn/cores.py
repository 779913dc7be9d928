"""Coordinates, ranges and sets of Tensix cores, and how work is divided among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class CoreCoord:
    """A core's place in the grid of compute cores.

    >>> CoreCoord(3, 1)
    (x=3,y=1)
    """

    __slots__ = ("x", "y")
    x: int
    y: int

    def __init__(self, x: int | tuple[int, int], y: int | None = None) -> None:
        if y is None:
            if isinstance(x, CoreGrid):
                x, y = x.x, x.y
            elif isinstance(x, (tuple, list)) and len(x) == 2:
                x, y = x
            else:
                raise TypeError("CoreCoord(): expected two integers, or a pair of them")
        if not isinstance(x, int) or x < 0 or not isinstance(y, int) or y < 0:
            raise TypeError(f"CoreCoord(): expected two non-negative integers, got ({x!r}, {y!r})")
        object.__setattr__(self, "x", int(x))
        object.__setattr__(self, "y", int(y))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"CoreCoord.{name} is read-only")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoreCoord) and (self.x, self.y) == (other.x, other.y)

    def __lt__(self, other: CoreCoord) -> bool:
        return (self.x, self.y) < (other.x, other.y)

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    def __repr__(self) -> str:
        return f"(x={self.x},y={self.y})"

    def __reduce__(self) -> tuple[type[CoreCoord], tuple[int, int]]:
        return CoreCoord, (self.x, self.y)


class CoreGrid:
    """The size of a grid of cores; both sizes are given by keyword."""

    __slots__ = ("x", "y")

    def __init__(self, *, x: int, y: int) -> None:
        self.x, self.y = x, y

    @property
    def num_cores(self) -> int:
        return self.x * self.y

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoreGrid) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    def __repr__(self) -> str:
        return f"ttnn.CoreGrid(x={self.x}, y={self.y})"


class CoreRange:
    """A rectangle of cores; both corners belong to it."""

    __slots__ = ("start", "end")

    def __init__(self, start: CoreCoord, end: CoreCoord) -> None:
        start, end = _coord(start), _coord(end)
        if end.x < start.x or end.y < start.y:
            raise RuntimeError(f"CoreRange: the end {end} lies before the start {start}")
        self.start, self.end = start, end

    def grid_size(self) -> CoreCoord:
        """Columns and rows."""
        return CoreCoord(self.end.x - self.start.x + 1, self.end.y - self.start.y + 1)

    def size(self) -> int:
        """The number of cores."""
        size = self.grid_size()
        return size.x * size.y

    def contains(self, other: CoreCoord | CoreRange | CoreRangeSet) -> bool:
        """Whether every core of `other` lies in this range."""
        if isinstance(other, CoreCoord):
            is_column = self.start.x <= other.x <= self.end.x
            return is_column and self.start.y <= other.y <= self.end.y
        if isinstance(other, CoreRange):
            return self.contains(other.start) and self.contains(other.end)
        return all(self.contains(part) for part in other.ranges())

    def intersects(self, other: CoreRange) -> bool:
        """Whether the two have a core in common."""
        is_column = self.start.x <= other.end.x and other.start.x <= self.end.x
        return is_column and self.start.y <= other.end.y and other.start.y <= self.end.y

    def __iter__(self) -> Iterator[CoreCoord]:
        return iter(_cores_of(self, row_wise=False))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoreRange) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"[{self.start} - {self.end}]"


class CoreRangeSet:
    """Rectangles of cores that do not overlap.

    >>> cores = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(1, 3))])
    >>> cores.num_cores(), cores.contains(CoreCoord(2, 0))
    (8, False)
    """

    __slots__ = ("_ranges",)

    def __init__(self, core_ranges: Iterable[CoreRange] | CoreRange = ()) -> None:
        given = [core_ranges] if isinstance(core_ranges, CoreRange) else core_ranges
        if isinstance(given, CoreRangeSet):
            given = given.ranges()
        ranges = list(given)
        if isinstance(core_ranges, (set, frozenset)):
            ranges.sort(key=lambda part: (part.start, part.end))
        for place, part in enumerate(ranges):
            if not isinstance(part, CoreRange):
                raise TypeError(f"CoreRangeSet(): expected CoreRange objects, got {part!r}")
            for other in ranges[:place]:
                if part.intersects(other):
                    raise RuntimeError(f"CoreRangeSet: the ranges {other} and {part} overlap")
        self._ranges = ranges

    def ranges(self) -> list[CoreRange]:
        """The rectangles."""
        return list(self._ranges)

    def num_cores(self) -> int:
        """The number of cores."""
        return sum(part.size() for part in self._ranges)

    def size(self) -> int:
        """The number of rectangles."""
        return len(self._ranges)

    def empty(self) -> bool:
        """Whether it has no core."""
        return not self._ranges

    def bounding_box(self) -> CoreRange:
        """The smallest rectangle around all cores."""
        if not self._ranges:
            raise RuntimeError("Cannot get bounding_box of an empty CoreRangeSet!")
        starts, ends = [r.start for r in self._ranges], [r.end for r in self._ranges]
        start = CoreCoord(min(c.x for c in starts), min(c.y for c in starts))
        return CoreRange(start, CoreCoord(max(c.x for c in ends), max(c.y for c in ends)))

    def contains(self, other: CoreCoord | CoreRange | CoreRangeSet) -> bool:
        """Whether every core of `other` is in the set."""
        if isinstance(other, CoreCoord):
            return any(part.contains(other) for part in self._ranges)
        parts = [other] if isinstance(other, CoreRange) else other.ranges()
        return all(self.contains(core) for part in parts for core in part)

    def merge(self, other: CoreRangeSet) -> CoreRangeSet:
        """The cores of both."""
        cores = {core for part in self._ranges for core in part}
        cores |= {core for part in other.ranges() for core in part}
        return CoreRangeSet(_columns(sorted(cores)))

    def subtract(self, other: CoreRangeSet) -> CoreRangeSet:
        """The cores of this set that `other` lacks."""
        cores = [core for part in self._ranges for core in part if not other.contains(core)]
        return CoreRangeSet(_columns(sorted(cores)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoreRangeSet) and set(self._ranges) == set(other._ranges)

    def __hash__(self) -> int:
        return hash(frozenset(self._ranges))

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self._ranges)) + "}"


def grid_to_cores(*args: object, row_wise: bool = False) -> list[CoreCoord]:
    """The first `n` cores of a grid, or all cores between two corners, column by column.

    Called as `grid_to_cores(n, columns, rows)` or `grid_to_cores(start, end)`; a last positional
    argument or `row_wise` chooses row by row.

    >>> grid_to_cores(3, 8, 2)
    [(x=0,y=0), (x=0,y=1), (x=1,y=0)]
    """
    if args and isinstance(args[-1], bool):
        *args, row_wise = args  # type: ignore[assignment]
    if len(args) == 2:
        return _cores_of(CoreRange(args[0], args[1]), row_wise)  # type: ignore[arg-type]
    if len(args) != 3:
        raise TypeError("grid_to_cores(): expected (num_cores, grid_size_x, grid_size_y)")
    count, columns, rows = (int(arg) for arg in args)  # type: ignore[call-overload]
    if count > columns * rows:
        raise RuntimeError(f"Number of cores {count} exceeds the grid of {columns} x {rows}")
    return _grid(CoreCoord(columns, rows), row_wise)[:count]


def corerange_to_cores(
    core_range_set: CoreRangeSet, max_cores: int | None = None, row_wise: bool = False
) -> list[CoreCoord]:
    """The cores of a set, range by range, each column by column or row by row."""
    cores = [core for part in core_range_set.ranges() for core in _cores_of(part, row_wise)]
    return cores if max_cores is None else cores[:max_cores]


def num_cores_to_corerangeset(
    target_num_cores: int, grid_size: CoreCoord, row_wise: bool = False
) -> CoreRangeSet:
    """The first cores of a grid as rectangles.

    >>> num_cores_to_corerangeset(10, CoreCoord(8, 8)).ranges()
    [[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=1)]]
    """
    most = grid_size.x * grid_size.y
    if target_num_cores > most:
        raise RuntimeError(f"Target number of cores {target_num_cores} exceeds total cores {most}")
    return _merged(_grid(grid_size, row_wise)[:target_num_cores], row_wise)


def num_cores_to_corerangeset_in_subcoregrids(
    start_core: CoreCoord,
    target_num_cores: int,
    sub_core_grids: CoreRangeSet,
    row_wise: bool = False,
) -> CoreRangeSet:
    """The given number of cores of a set, from `start_core` on, as rectangles."""
    cores = corerange_to_cores(sub_core_grids, row_wise=row_wise)
    if start_core not in cores:
        raise RuntimeError(f"Start core {start_core} is not in {sub_core_grids}")
    first = cores.index(start_core)
    chosen = cores[first : first + target_num_cores]
    if len(chosen) < target_num_cores:
        raise RuntimeError(f"{target_num_cores} cores asked for; {len(chosen)} are left")
    return _by_range(chosen, sub_core_grids, row_wise)


def split_work_to_cores(
    core_grid: CoreCoord | CoreRangeSet, units_to_divide: int, row_wise: bool = False
) -> tuple[int, CoreRangeSet, CoreRangeSet, CoreRangeSet, int, int]:
    """Divides units of work: (cores, all, group 1, group 2, units of group 1, units of group 2).

    Cores are taken column by column unless `row_wise`; a core of group 1 has one unit more.

    >>> split_work_to_cores(CoreCoord(8, 8), 10)[0::4]
    (10, 1)
    """
    if isinstance(core_grid, CoreRangeSet):
        available = corerange_to_cores(core_grid, row_wise=row_wise)
    else:
        available = _grid(_coord(core_grid), row_wise)
    empty = CoreRangeSet()
    if units_to_divide == 0:
        return 0, empty, empty, empty, 0, 0

    def as_set(cores: list[CoreCoord]) -> CoreRangeSet:
        if isinstance(core_grid, CoreRangeSet):
            return _by_range(cores, core_grid, row_wise)
        return _merged(cores, row_wise)

    cores = available[: min(units_to_divide, len(available))]
    share, rest = divmod(units_to_divide, len(cores))
    everyone = as_set(cores)
    if rest == 0:
        return len(cores), everyone, everyone, empty, share, 0
    return len(cores), everyone, as_set(cores[:rest]), as_set(cores[rest:]), share + 1, share


def _coord(given: object) -> CoreCoord:
    return given if isinstance(given, CoreCoord) else CoreCoord(given)  # type: ignore[arg-type]


def _grid(size: CoreCoord, row_wise: bool) -> list[CoreCoord]:
    if size.x == 0 or size.y == 0:
        return []
    return _cores_of(CoreRange(CoreCoord(0, 0), CoreCoord(size.x - 1, size.y - 1)), row_wise)


def _cores_of(part: CoreRange, row_wise: bool) -> list[CoreCoord]:
    columns = range(part.start.x, part.end.x + 1)
    rows = range(part.start.y, part.end.y + 1)
    if row_wise:
        return [CoreCoord(x, y) for y in rows for x in columns]
    return [CoreCoord(x, y) for x in columns for y in rows]


def _by_range(cores: list[CoreCoord], within: CoreRangeSet, row_wise: bool) -> CoreRangeSet:
    """Rectangles that do not cross the borders of the ranges of `within`."""
    ranges: list[CoreRange] = []
    for part in within.ranges():
        inside = [core for core in cores if part.contains(core)]
        ranges.extend(_merged(inside, row_wise).ranges())
    return CoreRangeSet(ranges)


def _merged(cores: list[CoreCoord], row_wise: bool) -> CoreRangeSet:
    """Consecutive cores as a beginning, whole lines, and a rest: at most three rectangles."""
    turned = [CoreCoord(core.y, core.x) for core in cores] if row_wise else cores
    ranges = _columns(turned)
    if row_wise:
        turn = lambda core: CoreCoord(core.y, core.x)  # noqa: E731
        ranges = [CoreRange(turn(part.start), turn(part.end)) for part in ranges]
    return CoreRangeSet(ranges)


def _columns(cores: list[CoreCoord]) -> list[CoreRange]:
    """Rectangles from cores in column order: runs in columns, equal neighbours joined."""
    runs: list[CoreRange] = []
    for core in cores:
        last = runs[-1] if runs else None
        if last is not None and (core.x, core.y) == (last.end.x, last.end.y + 1):
            runs[-1] = CoreRange(last.start, core)
        else:
            runs.append(CoreRange(core, core))
    joined: list[CoreRange] = []
    for run in runs:
        last = joined[-1] if joined else None
        is_next = last is not None and run.start.x == last.end.x + 1
        if is_next and (run.start.y, run.end.y) == (last.start.y, last.end.y):  # type: ignore
            joined[-1] = CoreRange(last.start, run.end)  # type: ignore[union-attr]
        else:
            joined.append(run)
    return joined
