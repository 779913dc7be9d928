"""What came of a run: verdict, findings, statistics."""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from . import _memory, _native


@dataclass(frozen=True)
class Mark:
    """A line that has a part in a finding."""

    file: str
    line: int
    role: str
    processor: str | None = None
    core: str | None = None
    called_from: tuple[tuple[str, int], ...] = ()

    @property
    def kernel_line(self) -> tuple[str, int]:
        """The line of the kernel's own file: of the call that led here, if this is a header's."""
        frames = [(self.file, self.line), *self.called_from]
        kernel = frames[-1][0]
        return next(frame for frame in frames if frame[0] == kernel)


@dataclass(frozen=True)
class Finding:
    """Something wrong with a program, with its cause and its place."""

    id: str
    title: str
    blame: str
    count: int
    marks: tuple[Mark, ...]
    facts: tuple[str, ...]
    help: str | None
    rendered: str

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Finding:
        """A finding from the native module's record of it."""
        marks = tuple(
            Mark(
                file=mark["file"],
                line=mark["line"],
                role=mark["role"],
                processor=mark.get("processor"),
                core=mark.get("core"),
                called_from=tuple((c["file"], c["line"]) for c in mark.get("called_from", ())),
            )
            for mark in record["marks"]
        )
        return cls(
            id=record["id"],
            title=record["title"],
            blame=record["blame"],
            count=record["count"],
            marks=marks,
            facts=tuple(record["facts"]),
            help=record.get("help"),
            rendered=record["rendered"],
        )

    @property
    def location(self) -> tuple[str, int] | None:
        """File and line of the kernel where it was found."""
        for mark in self.marks:
            if mark.processor is not None and mark.line:
                return mark.kernel_line
        return next(((mark.file, mark.line) for mark in self.marks if mark.line), None)

    def __str__(self) -> str:
        return self.rendered


@dataclass(frozen=True)
class Statistics:
    """Figures of a run."""

    cycles: int
    seed: int
    digest: str
    wall_seconds: float
    cores: int


@dataclass(frozen=True)
class Judgement:
    """How an output compares with its exact reference."""

    in_bound: bool
    """Whether every judged element is inside its bound."""
    max_abs_error: float
    worst_ratio: float
    """The largest error over its bound; at most 1 is inside."""
    worst_index: int | None
    """The element with that ratio, in row-major order."""
    wanted: float | None
    got: float | None
    bound: float | None
    """The exact value of that element, the device's, and the bound on their difference."""
    outside: int
    judged: int
    unjudged: int

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Judgement:
        """A judgement from the native module's record of it."""
        floats = ("max_abs_error", "worst_ratio", "wanted", "got", "bound")
        values = {one.name: record[one.name] for one in fields(cls)}
        for name in floats:
            values[name] = None if values[name] is None else float(values[name])
        return cls(**values)


@dataclass(frozen=True)
class Inputs:
    """What a program was run with: its description, options, and its tensors as they were."""

    description: str
    options: str
    tensors: Mapping[str, bytes]


@dataclass(frozen=True)
class Result:
    """The outcome of one program: `pass`, `fail`, `hang`, `error` or `unjudged`."""

    name: str
    verdict: str
    findings: tuple[Finding, ...]
    statistics: Statistics
    outputs: Mapping[str, Any] = field(default_factory=dict)
    printed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    completed: bool = True
    captured: str | None = None
    """The file with a capture of the program, if `settings(captures=...)` asked for one."""
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    """Outputs that were compared with an exact reference, such as those of `tilewright.ops`."""
    _inputs: Inputs | None = None

    @classmethod
    def from_record(
        cls, name: str, record: Mapping[str, Any], outputs: Mapping[str, Any]
    ) -> Result:
        """A result from the native module's record of a run."""
        return cls(
            name=name,
            verdict=record["verdict"],
            findings=tuple(Finding.from_record(one) for one in record["findings"]),
            statistics=Statistics(**{one.name: record[one.name] for one in fields(Statistics)}),
            outputs=outputs,
            printed=tuple(record["printed"]),
            notes=tuple(record["notes"]),
            completed=record["completed"],
            judgements={
                name: Judgement.from_record(one) for name, one in record["outputs"].items()
            },
        )

    def capture(self, path: str | os.PathLike[str]) -> Path:
        """Writes the program with its sources, and its tensors as they were before the run, to one
        file, which `tilewright run` and `tilewright replay` take."""
        target = Path(path)
        target.write_bytes(self._captured())
        return target

    def trace(self, path: str | os.PathLike[str]) -> Path:
        """Runs the program again and writes what every processor did, for ui.perfetto.dev."""
        target = Path(path)
        with tempfile.TemporaryDirectory() as folder:
            capture = self.capture(Path(folder) / "program.cap")
            target.write_bytes(_native.trace(str(capture)))
        return target

    def _captured(self) -> bytes:
        if self._inputs is None:
            raise RuntimeError(f"{self.name}: only results of tilewright.run and check are kept")
        held = {name: bytearray(one) for name, one in self._inputs.tensors.items()}
        return _memory.with_places(
            held, lambda at: _native.capture(self._inputs.description, self._inputs.options, at)
        )

    def report(self) -> str:
        """The findings as the command line shows them, and a line that sums up."""
        lines = [finding.rendered.rstrip() for finding in self.findings]
        lines += [f"note: {note}" for note in self.notes]
        lines += [f"capture: {self.captured}"] if self.captured else []
        figures = f"{self.statistics.cycles:_} cycles, seed {self.statistics.seed}"
        return "\n\n".join([*lines, f"{self.verdict}: {self.name}, {figures}"])

    def __str__(self) -> str:
        return self.report()

    def __bool__(self) -> bool:
        """Whether the program completed and nothing was found."""
        return self.completed and not self.findings

    def _repr_html_(self) -> str:
        colour = {"pass": "#1a7f37", "unjudged": "#57606a"}.get(self.verdict, "#cf222e")
        head = f'<b style="color:{colour}">{html.escape(self.verdict)}</b>'
        parts = [f"<p>{head} {html.escape(self.name)}, {self.statistics.cycles:,} cycles</p>"]
        for finding in self.findings:
            parts.append(f"<pre>{html.escape(finding.rendered)}</pre>")
        rows = [
            f"<tr><td>{html.escape(name)}</td><td>{html.escape(_shape(value))}</td></tr>"
            for name, value in self.outputs.items()
        ]
        if rows:
            parts.append("<table><tr><th>output</th><th>shape</th></tr>" + "".join(rows) + "</table>")
        return "".join(parts)


def _shape(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return "x".join(map(str, shape)) if shape is not None else str(np.shape(value))
