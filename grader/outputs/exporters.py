"""Calls the exporters of installed packages once a run's files are written; has none of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.errors import GraderError
from grader.outputs.summary import Summary
from grader.plugins import find_plugins, load_plugin
from grader.records import Grade

GROUP = "grader.exporters"

Exporter = Callable[[Path, Collection[Grade], Summary], Iterable[Path] | None]
"""Is given the run's folder, its grades in order and their summary; returns the files that it wrote, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """The files that exporters wrote, and a sentence on each that failed."""

    paths: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()


def run_exporters(run_dir: Path, grades: Collection[Grade], summary: Summary) -> Exported:
    """Call every exporter in the entry point group `grader.exporters`; one that fails costs its own files only."""
    paths: list[Path] = []
    notes: list[str] = []
    for name, entry in sorted(find_plugins(GROUP).items()):
        try:
            exporter: Exporter = load_plugin(entry)
            paths += map(Path, exporter(run_dir, grades, summary) or ())
        except GraderError as error:
            notes.append(error.message)
        except Exception as error:  # a package of somebody else's must not lose the run
            notes.append(f"the exporter “{name}” failed: {type(error).__name__}: {error}")
    return Exported(paths=tuple(paths), notes=tuple(notes))
