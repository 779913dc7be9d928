"""The user's own tree: `ttnn.operations` over its folder, and `ttnn.<operation>` from there.

Only the operation's own package is imported; the tree's `ttnn` itself, which needs a card, is not.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import _sources

_NAMES = ("ttnn", "tilewright.ttnn")


def folders() -> list[str]:
    """The folders of operations in the user's trees."""
    places = [root / "ttnn" / "ttnn" / "operations" for root in _sources.roots()]
    places += [root / "operations" for root in _sources.roots() if (root / "core.py").is_file()]
    return [str(place) for place in places if place.is_dir()]


def operations() -> ModuleType:
    """The package `ttnn.operations` over those folders."""
    module = sys.modules.get("tilewright.ttnn.operations")
    if module is None:
        module = ModuleType("ttnn.operations")
        module.__package__ = "ttnn.operations"
        module.__path__ = []
        for name in _NAMES:
            sys.modules[f"{name}.operations"] = module
    module.__path__ = folders()
    return module


def attribute(name: str) -> Any:
    """What `ttnn.<name>` is when the package itself does not have it."""
    if name == "operations":
        return operations()
    if name.startswith("__"):
        raise AttributeError(name)
    package = operations()
    for folder in package.__path__:
        if (Path(folder) / name).is_dir() or (Path(folder) / f"{name}.py").is_file():
            module = importlib.import_module(f"ttnn.operations.{name}")
            return getattr(module, name, module)
    raise AttributeError(
        f"tilewright does not serve ttnn.{name}; docs/src/python.md lists what it serves"
    )
