"""What a run is beside its calls and grades: all that its files say, kept so that they can be written again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from grader.errors import RunError
from grader.records import CellRef, SkippedItem
from grader.rubric import Rubric
from grader.store.run_store import RunStore

if TYPE_CHECKING:
    from grader.store.run_reader import RunReader

_META_NAME = "head"

PROBE_MARK = "is_probe"
"""Name of the store's own fact that tells a probe from a run."""

NOT_REACHED = "not reached: the run stopped before it"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHead:
    """What decided a run's grades, and what they were planned to be."""

    record: Mapping[str, Any]
    """What summary.json says before its counts; plain JSON, and never a key."""
    rubric: Rubric
    criteria_path: Path
    """The expert's workbook, as an absolute path."""
    jobs: tuple[tuple[str, str, int], ...]
    """System, id and sample of every grade that was to be, in the run's order."""
    skipped: tuple[SkippedItem, ...] = ()

    @property
    def planned(self) -> Mapping[str, int]:
        """How many grades each system was to have, in the order of the systems."""
        return Counter(system for system, _, _ in self.jobs)

    def unreached(self, reached: Container[int]) -> Iterator[SkippedItem]:
        """Yield what was to be graded and is not at one of the positions `reached`: the run stopped first."""
        for position, (system, item_id, _) in enumerate(self.jobs):
            if position not in reached:
                yield SkippedItem(system=system, item_id=item_id, reason=NOT_REACHED)


def keep_head(store: RunStore, head: RunHead) -> None:
    """Put the head into the run's store, in place of an earlier one."""
    store.set_meta(_META_NAME, _as_text(head))


def is_kept(store: RunStore, head: RunHead) -> bool:
    """Return whether the store holds this very head."""
    return store.meta(_META_NAME) == _as_text(head)


def _as_text(head: RunHead) -> str:
    content = {
        "record": head.record,
        "rubric": head.rubric.model_dump(mode="json"),
        "criteria_path": str(head.criteria_path),
        "jobs": head.jobs,
        "skipped": [asdict(item) for item in head.skipped],
    }
    return json.dumps(content)


def stored_head(store: RunStore | RunReader) -> RunHead:
    """Return the head that the store holds.

    Raises:
        RunError: it holds none: the run never began or is of an older grader, or it is a benchmark or a probe.
    """
    text = store.meta(_META_NAME)
    if not text:
        raise _without_head(store)
    content = json.loads(text)
    return RunHead(
        record=content["record"],
        rubric=_rubric(content["rubric"], store.path),
        criteria_path=Path(content["criteria_path"]),
        jobs=tuple((system, item_id, sample) for system, item_id, sample in content["jobs"]),
        skipped=tuple(_skipped_item(item) for item in content["skipped"]),
    )


def _without_head(store: RunStore | RunReader) -> RunError:
    if store.item_count():
        return RunError(
            f"{store.path.parent} is a benchmark of grader run, not a run of grader score",
            hint="Its graded.xlsx has the matrix of models and prompts.",
        )
    if store.meta(PROBE_MARK):
        return RunError(
            f"{store.path.parent} is a probe of a judge, not a run of grader score",
            hint="What it found is in its probe.json and probe.xlsx; grader report RUN --probe shows it beside a run.",
        )
    return RunError(
        f"{store.path} does not say how it was graded: it is of an older grader, or nothing was graded yet",
        hint="Run the same score command again: what is stored is not called for again.",
    )


def _rubric(content: Mapping[str, Any], path: Path) -> Rubric:
    try:
        return Rubric.model_validate(content)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise RunError(
            f"{path}: the rubric that it was graded with is not one of this grader's ({problems})",
            hint="Use the grader that made the run, or run the same score command again.",
        ) from error


def _skipped_item(content: Mapping[str, Any]) -> SkippedItem:
    return SkippedItem(**{**content, "source": CellRef(**content["source"]) if content["source"] else None})
