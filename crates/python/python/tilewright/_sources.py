"""Where kernels and their headers are: the user's tree, and files of kernels given as text."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

_roots: list[Path] = []
#: Files of kernels that are given as text, and the lines that give them.
_texts: dict[str, str] = {}


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


def keep_text(text: str, site: dict[str, object] | None) -> Path:
    """A file with a kernel that is given as text, named by its content, so that reports can show
    its lines and compiled kernels are found again."""
    path = _keep(_kept() / f"{_digest(text.encode())}.cpp", text.encode())
    if site is not None:
        _texts[str(path)] = f"{site['file']}:{site['line']}"
    return path


def complaint(text: str) -> str:
    """What is wrong with a program; for kernels that are given as text it names the lines of Python
    that give them."""
    named = ((path, at) for path, at in _texts.items() if path in text)
    given = (f"{path} is the text of the kernel at {at}" for path, at in named)
    return "\n".join([text, *given])


def _kept() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(cache) / "tilewright-kernels"


def _keep(path: Path, contents: bytes) -> Path:
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.write_bytes(contents)
        draft.replace(path)
    return path


def _digest(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()[:16]


def include_paths(kernel: Path) -> list[str]:
    """Where tt-metal's build would look for the headers of a kernel in a tree of its own."""
    found: list[Path] = []
    for root in roots():
        is_tree = (root / "ttnn" / "cpp").is_dir() or (root / "tt_metal").is_dir()
        if is_tree:
            parts = (".", "ttnn", "ttnn/cpp", "tt_metal", "tt_metal/include", "tt_metal/hw/inc")
            found += [root if part == "." else root / part for part in parts]
        elif root in _roots:
            found.append(root)
    found.append(kernel.parent)
    return [str(path) for path in dict.fromkeys(found) if path.is_dir()]
