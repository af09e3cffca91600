"""Finds rubric files and templates: the user's project first, the shipped ones second; does not read rubrics."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from grader.errors import RubricError

_PACKAGE_DIR = Path(__file__).parent


def asset_dirs(kind: str) -> Iterator[Path]:
    """Yield the folders that may hold `rubrics` or `templates`: the current one's, then the shipped ones."""
    candidates = (Path.cwd() / kind, _PACKAGE_DIR / "_bundled" / kind, _PACKAGE_DIR.parent / kind)
    seen: set[Path] = set()
    for candidate in candidates:
        if candidate.is_dir() and candidate.resolve() not in seen:
            seen.add(candidate.resolve())
            yield candidate


def shipped_dir(kind: str) -> Path:
    """Return the folder of the shipped `rubrics` or `templates`, for what no project may replace."""
    bundled = _PACKAGE_DIR / "_bundled" / kind
    return bundled if bundled.is_dir() else _PACKAGE_DIR.parent / kind


def find_asset(kind: str, name: str) -> Path:
    """Return the path of the file `name` among the `rubrics` or `templates`.

    Raises:
        RubricError: there is none; the message lists those there are.
    """
    for folder in asset_dirs(kind):
        if (folder / name).is_file():
            return folder / name
    known = sorted(known.removesuffix(".yaml") for known in list_assets(kind) if not known.startswith("_"))
    wanted = name.removesuffix(".yaml")
    close = get_close_matches(wanted, known, n=1)
    guess = f"Did you mean {close[0]}? " if close else ""
    raise RubricError(
        f"there is no {kind.rstrip('s')} “{wanted}”", hint=f"{guess}There are: {', '.join(known) or 'none'}."
    )


def list_assets(kind: str) -> dict[str, Path]:
    """Return the file name and path of every rubric or template that `find_asset` would find."""
    found: dict[str, Path] = {}
    for folder in asset_dirs(kind):
        for path in sorted(folder.iterdir()):
            if path.is_file() and not path.name.startswith("."):
                found.setdefault(path.name, path)
    return found
