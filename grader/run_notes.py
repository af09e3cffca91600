"""What a user is told of a run beside its figures, in whole sentences; writes and prints nothing."""

from __future__ import annotations

import shlex
from pathlib import Path

from grader.store.run_head import RunHead
from grader.store.run_store import RunStore
from grader.store.written_files import file_digest


def kept_notes(store: RunStore) -> tuple[str, ...]:
    """Return what to say of experts' entries in a store that was started anew."""
    if store.set_aside is not None:
        return (
            f"the earlier {store.path.name} cannot be read by this grader and was kept as {store.set_aside.name}: what"
            " experts have entered in it, if anything, does not count",
        )
    count = store.kept_override_count
    if not count:
        return ()
    entries = "an entry of an expert was" if count == 1 else f"{count:,} entries of experts were"
    return (f"{entries} kept from before the fresh start, with who entered what and when",)


def unreviewed_note(count: int, workbook_path: Path) -> tuple[str, ...]:
    """Return what to say of entries that stand in the workbook and that `grader review` has not read."""
    if not count:
        return ()
    entries = "1 entry in {} is" if count == 1 else f"{count:,} entries in {{}} are"
    command = shlex.join(["grader", "review", str(workbook_path)])
    return (f"{entries.format(workbook_path.name)} not yet in the figures: run {command}",)


def missing_note(head: RunHead, reached_count: int) -> str:
    """Return what the Summary sheet must say of a run that stopped early, since it counts what it has."""
    missing_count = len(head.jobs) - reached_count
    return f" – STOPPED EARLY: {missing_count} of {len(head.jobs)} items are missing" if missing_count else ""


def changed_note(head: RunHead) -> tuple[str, ...]:
    """Return what to say where the criteria file is there and not what it was."""
    path = head.criteria_path
    if not path.is_file() or file_digest(path) in head.record["sources"].values():
        return ()
    return (f"{path.name} has changed since it was graded: the graded workbook is a copy of it as it is now.",)
