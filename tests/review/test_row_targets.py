from __future__ import annotations

from typing import Any

import pytest

from grader.outputs.graded_workbook.entry_rows import EntryRow
from grader.outputs.graded_workbook.keys import item_key, texts_digest
from grader.records import Grade, Item, Status, Verdict
from grader.review.row_targets import RowTargets, Target, Unplaced, targets_of

KEY, OTHER = item_key("s", "1", 1), item_key("t", "1", 1)
SHOWN = texts_digest("q", "a")
TARGETS = {
    KEY: Target(system="s", item_id="1", sample=1, text_hash="h", shown=SHOWN),
    OTHER: Target(system="t", item_id="1", sample=1, text_hash="i", shown=SHOWN),
}


def row(**more: Any) -> EntryRow:
    facts: dict[str, Any] = {
        "kind": "review",
        "sheet": "Review",
        "row": 1,
        "value_column": 5,
        "comment_column": 6,
        "judge_column": 2,
        "key": KEY,
        "text_hash": "h",
        "criterion": None,
        "value": 5,
        "comment": "",
        "before": None,
        "stale": "",
        "judge_hash": "",
        "judge_cells": (),
        "item_id": "1",
        "system": "s",
        "sample": 1,
    }
    return EntryRow(**{**facts, **more})


def placed(row: EntryRow, *others: EntryRow) -> EntryRow:
    return RowTargets((row, *others), TARGETS).placed(row)


@pytest.mark.parametrize("key", ["", "damaged"])
def test_a_row_without_its_key_is_known_by_what_it_shows(key: str) -> None:
    assert placed(row(key=key)).key == KEY
    assert placed(row(key=key, kind="blind", system="")).key == KEY  # by the text hash
    with pytest.raises(Unplaced, match="no answer of the run"):
        placed(row(key=key, item_id="9"))
    with pytest.raises(Unplaced, match="several answers"):
        placed(row(key=key, kind="blind", system="", text_hash=""))
    with pytest.raises(Unplaced, match="a comment stands"):
        placed(row(key=key, item_id="", value=""))


def test_a_criterion_without_its_number() -> None:
    with pytest.raises(Unplaced, match=r"No\."):
        placed(row(kind="verdicts", criterion=(None, 0)))


def test_a_text_hash_that_is_gone() -> None:
    assert placed(row(text_hash="", shown_texts=("q", " a"))).text_hash == "h"
    assert placed(row(text_hash="", shown_texts=("q", "another"))).text_hash == ""
    assert placed(row(text_hash="", shown_texts=("q", "another")), row(kind="blind")).text_hash == "h"


def test_rows_of_other_runs_keep_their_keys() -> None:
    gone = item_key("s", "9", 1)
    asked = row(kind="blind", system="", item_id="9", key=gone)
    assert placed(asked).key == gone
    assert RowTargets((asked,), TARGETS).target(asked) is None
    named = RowTargets((asked, row(item_id="9", key=gone)), TARGETS).target(asked)
    assert named is not None and (named.system, named.item_id) == ("s", "9")


def test_the_targets_of_grades() -> None:
    item = Item(id="1", system="s", answer="a", question="q ")
    grade = Grade(item=item, verdict=Verdict(status=Status.SKIPPED), rubric="r", model="m")
    assert targets_of([grade])[KEY].shown == ""
    assert targets_of([grade], with_texts=True)[KEY].shown == SHOWN
