"""Where kernels and their headers are: the user's tree."""

from __future__ import annotations

import os
from pathlib import Path

_roots: list[Path] = []


def add_root(folder: str | os.PathLike[str]) -> None:
    """Makes a folder one that relative kernel paths and headers are looked for in."""
    path = Path(folder).resolve()
    if path not in _roots:
        _roots.append(path)


def roots() -> list[Path]:
    """Folders to look in: the working folder, TT_METAL_HOME, and those that were added."""
    home = os.environ.get("TT_METAL_HOME")
    named = [Path.cwd(), *([Path(home)] if home else []), *_roots]
    return list(dict.fromkeys(named))


def find_kernel(source: str) -> Path:
    """The file of a kernel; relative paths are looked for in `roots()`."""
    path = Path(source)
    if path.is_absolute():
        candidates = [path]
    else:
        candidates = [root / path for root in roots()]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    looked = ", ".join(str(candidate) for candidate in candidates)
    raise RuntimeError(f"Kernel file {source} doesn't exist; looked for {looked}")


def include_paths(kernel: Path | None) -> list[str]:
    """Where tt-metal's build would look for the headers of a kernel in a tree of its own."""
    found: list[Path] = []
    for root in roots():
        is_tree = (root / "ttnn" / "cpp").is_dir() or (root / "tt_metal").is_dir()
        if is_tree:
            parts = (".", "ttnn", "ttnn/cpp", "tt_metal", "tt_metal/include", "tt_metal/hw/inc")
            found += [root if part == "." else root / part for part in parts]
        elif root in _roots:
            found.append(root)
    if kernel is not None:
        found.append(kernel.parent)
    return [str(path) for path in dict.fromkeys(found) if path.is_dir()]
