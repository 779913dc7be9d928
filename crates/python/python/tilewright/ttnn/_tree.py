"""The user's own tree: `ttnn.operations` over its folder, and `ttnn.<operation>` from there.

Only the operation's own package is imported; the tree's `ttnn` itself, which needs a card, is not.
What that exports of such packages goes before what this package has under the same name.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import _sources

_NAMES = ("ttnn", "tilewright.ttnn")
_PREFIX = "ttnn.operations."


class _Operations(ModuleType):
    """The package `ttnn.operations`, whose modules are there without being imported first."""

    def __getattr__(self, name: str) -> Any:
        if _is_module(name, self.__path__):
            return importlib.import_module(f"{_PREFIX}{name}")
        raise AttributeError(f"tilewright does not serve ttnn.operations.{name}")


def _packages() -> list[Path]:
    """The folders of ttnn's Python package in the user's trees."""
    places = [root / "ttnn" / "ttnn" for root in _sources.roots()]
    places += [root for root in _sources.roots() if (root / "core.py").is_file()]
    return [place for place in places if place.is_dir()]


def folders() -> list[str]:
    """The folders of operations in the user's trees."""
    places = [package / "operations" for package in _packages()]
    return [str(place) for place in places if place.is_dir()]


def operations() -> ModuleType:
    """The package `ttnn.operations` over those folders."""
    module = sys.modules.get("tilewright.ttnn.operations")
    if module is None:
        module = _Operations("ttnn.operations")
        module.__package__ = "ttnn.operations"
        module.__path__ = []
        for name in _NAMES:
            sys.modules[f"{name}.operations"] = module
    module.__path__ = folders()
    return module


def install(package: ModuleType) -> None:
    """Lets the tree's operations go before ours, and its modules be found after ours."""
    operations()
    package.__path__ = [*package.__path__, *map(str, _packages())]
    for name in _exported():
        vars(package).pop(name, None)


def attribute(name: str) -> Any:
    """What `ttnn.<name>` is when the package itself does not have it."""
    if name == "operations":
        return operations()
    if name.startswith("__"):
        raise AttributeError(name)
    exported = _exported().get(name)
    if exported is not None:
        return getattr(importlib.import_module(exported[0]), exported[1])
    if _is_module(name, operations().__path__):
        module = importlib.import_module(f"{_PREFIX}{name}")
        return getattr(module, name, module)
    if _is_module(name, map(str, _packages())):
        return importlib.import_module(f"ttnn.{name}")
    raise AttributeError(
        f"tilewright does not serve ttnn.{name}; docs/src/python.md lists what it serves"
    )


def _is_module(name: str, places: Any) -> bool:
    return any(
        (Path(place) / name / "__init__.py").is_file() or (Path(place) / f"{name}.py").is_file()
        for place in places
    )


def _exported() -> dict[str, tuple[str, str]]:
    """What the tree's `ttnn` exports of operations that are packages: name to module and name."""
    found: dict[str, tuple[str, str]] = {}
    for package in _packages():
        for line in _imports(package / "__init__.py"):
            module = line.module or ""
            operation = module.removeprefix(_PREFIX).split(".")[0]
            is_package = (package / "operations" / operation / "__init__.py").is_file()
            if module.startswith(_PREFIX) and is_package:
                names = {alias.asname or alias.name: (module, alias.name) for alias in line.names}
                found = names | found
    return found


_known: dict[Path, list[ast.ImportFrom]] = {}


def _imports(file: Path) -> list[ast.ImportFrom]:
    if file not in _known:
        try:
            body = ast.parse(file.read_text()).body
        except (OSError, SyntaxError, ValueError):
            body = []
        _known[file] = [line for line in body if isinstance(line, ast.ImportFrom)]
    return _known[file]
