"""Finds what installed packages add to grader, by entry points of the groups `grader.…`; adds nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from grader.errors import GraderError


def find_plugins(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of `group` by name, none of them imported yet."""
    return {entry.name: entry for entry in all_entry_points().select(group=group)}


@cache  # each look goes through all installed packages
def all_entry_points() -> Any:
    """Return the entry points of all installed packages, to select from: `EntryPoints`, but for Python 3.11."""
    return entry_points()


def load_plugin(entry: EntryPoint) -> Any:
    """Return what an entry point names.

    Raises:
        GraderError: its package cannot be imported, or does not have it.
    """
    try:
        return entry.load()
    except Exception as error:  # a package of somebody else's: whatever its import raises is its fault
        package = f" of the package {entry.dist.name}" if entry.dist else ""
        raise GraderError(
            f"the plug-in “{entry.name}”{package} cannot be loaded: {type(error).__name__}: {error}",
            hint="Update that package, or uninstall it.",
        ) from error
