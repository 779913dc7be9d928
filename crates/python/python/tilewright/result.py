"""What came of a run: verdict, findings, statistics."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


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
        """The line of the kernel itself: of the call that led here, if this is a helper's."""
        return self.called_from[-1] if self.called_from else (self.file, self.line)


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
    _request: bytes = b""

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
