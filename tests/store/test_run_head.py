from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.errors import RunError
from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.records import CellRef, SkippedItem
from grader.store.run_head import RunHead, keep_head, stored_head
from grader.store.run_store import RunStore, open_run

SKIPPED = (
    SkippedItem(system="s", item_id="7", reason="why", source=CellRef(path="c.xlsx", sheet="S", cell="A7")),
    SkippedItem(system="s", item_id="8", reason="why"),
)


def head(name: str = "likert") -> RunHead:
    return RunHead(
        record={"run_id": "1", "options": {"limit": None}, "notes": ["日本語"]},
        rubric=read_rubric(name)[0],
        criteria_path=Path("/somewhere/c.xlsx"),
        jobs=(("b", "1", 1), ("a", "1", 1), ("b", "2", 1)),
        skipped=SKIPPED,
    )


@pytest.mark.parametrize("name", list_rubrics())
def test_what_is_kept_comes_back(tmp_path: Path, name: str) -> None:
    with RunStore(tmp_path) as store:
        keep_head(store, head("tiered"))
        keep_head(store, head(name))
    with open_run(tmp_path) as store:
        assert stored_head(store) == head(name)
        assert list(stored_head(store).planned) == ["b", "a"]


def test_a_rubric_of_another_grader(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        keep_head(store, head())
        content = json.loads(store.meta("head"))
        content["rubric"]["novelty"] = 1
        store.set_meta("head", json.dumps(content))
        with pytest.raises(RunError, match="novelty") as caught:
            stored_head(store)
    assert "run.db" in caught.value.message and "score command" in (caught.value.hint or "")
