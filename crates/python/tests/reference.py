"""The page docs/src/python-api.md, from docstrings; printed when this is run as a script."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from types import ModuleType
from typing import Any

import tilewright
from tilewright import ops, ttnn

HEAD = """# Python reference

Made from the docstrings of the package, whose examples run as tests. [Python and pytest](python.md)
shows how the parts fit together.
"""


def page() -> str:
    """The whole page."""
    own = {name: getattr(tilewright, name) for name in tilewright.__all__}
    own = {name: value for name, value in own.items() if not isinstance(value, ModuleType)}
    served = {
        name: value
        for name, value in vars(ttnn).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("tilewright")
    }
    parts = [
        section("tilewright", tilewright, own),
        section("tilewright.ops", ops, public(ops)),
        section("tilewright.ttnn", ttnn, served),
    ]
    return "\n".join([HEAD, *parts])


def public(module: ModuleType) -> dict[str, Any]:
    found = vars(module).items()
    return {
        name: value
        for name, value in found
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        and callable(value)
    }


def section(title: str, module: ModuleType, names: dict[str, Any]) -> str:
    lines = [f"## `{title}`", "", text(module), ""]
    for name, value in sorted(names.items(), key=lambda item: item[0].lower()):
        lines += entry(name, value)
    return "\n".join(lines)


def entry(name: str, value: Any) -> list[str]:
    """One name: what it takes, what it is, and the members of a class."""
    lines = [f"### `{name}{signature(value)}`", ""]
    about = text(value)
    lines += [about, ""] if about else []
    if not inspect.isclass(value):
        return lines
    if issubclass(value, enum.Enum):
        return [*lines, "Members: " + ", ".join(f"`{one}`" for one in value.__members__) + ".", ""]
    for member, function in vars(value).items():
        is_shown = inspect.isfunction(function) or isinstance(function, property)
        if member.startswith("_") or not is_shown:
            continue
        about = text(function).split("\n\n")[0].replace("\n", " ")
        shown = f"`{member}{signature(function)}`"
        lines.append(f"- {shown}: {about}" if about else f"- {shown}")
    return [*lines, ""] if lines[-1] else lines


def signature(value: Any) -> str:
    is_plain = inspect.isclass(value) and issubclass(value, (enum.Enum, Exception))
    if is_plain or isinstance(value, property):
        return ""
    try:
        given = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parameters = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in given.parameters.values()
        if one.name != "self" and not one.name.startswith("_")
    ]
    plain = str(given.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    return plain.replace("<factory>", "...")


def text(value: Any) -> str:
    found = inspect.getdoc(value) or ""
    is_made = dataclasses.is_dataclass(value) and found.startswith(f"{value.__name__}(")
    inherited = inspect.isclass(value) and value.__doc__ is None
    found = "" if is_made or inherited else found
    return fenced(found)


def fenced(found: str) -> str:
    """Examples as blocks of code."""
    lines: list[str] = []
    is_example = False
    for line in found.splitlines():
        if line.startswith(">>>") and not is_example:
            lines.append("```python")
            is_example = True
        elif is_example and not line:
            lines.append("```")
            is_example = False
        lines.append(line)
    return "\n".join([*lines, "```"] if is_example else lines)


if __name__ == "__main__":
    print(page(), end="")
