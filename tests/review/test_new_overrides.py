from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.outputs.graded_workbook.entry_rows import EntryRow, LostColumns
from grader.outputs.graded_workbook.keys import item_key, judge_hash
from grader.records import Override
from grader.review.findings import NewOverrides
from grader.review.graded_files import GradedFile
from grader.review.new_overrides import find_new_overrides
from grader.review.row_targets import Target
from grader.rubric import Scale

KEY = item_key("s", "1", 1)
TARGETS = {KEY: Target(system="s", item_id="1", sample=1, text_hash="h")}
SCALE = Scale(min=0, max=100)


def row(value: object = "", comment: object = "", number: int = 1, **more: Any) -> EntryRow:
    facts: dict[str, Any] = {
        "kind": "review",
        "sheet": "Review",
        "row": number,
        "value_column": 5,
        "comment_column": 6,
        "judge_column": 2,
        "key": KEY,
        "text_hash": "h",
        "criterion": None,
        "before": None,
        "stale": "",
        "judge_hash": "",
        "judge_cells": (),
        "item_id": "1",
        "system": "s",
        "sample": 1,
    }
    return EntryRow(value=value, comment=comment, **{**facts, **more})


def file(*rows: EntryRow, name: str = "a.xlsx", saved: str = "t1", **more: Any) -> GradedFile:
    facts: dict[str, Any] = {"saved_by": "", "run_id": "", "lost": (), "faults": {}}
    return GradedFile(path=Path("/w") / name, saved=saved, rows=rows, **{**facts, **more})


def found(*files: GradedFile, by: str = "Anna", stored: list[Override] | None = None) -> NewOverrides:
    return find_new_overrides([(each, by) for each in files], targets=TARGETS, stored=stored or [], scale=SCALE)


def told(*files: GradedFile, by: str = "Anna", stored: list[Override]) -> list[tuple[float | None, str]]:
    return [(each.score, each.comment) for each in found(*files, by=by, stored=stored).overrides]


ANNA = found(file(row(50.0, "a"))).overrides
BOB = found(file(row(100.0, "b"), name="b.xlsx"), by="Bob").overrides


def test_a_filled_row_is_an_override() -> None:
    (override,) = ANNA
    assert (override.reviewer, override.score, override.comment, override.entered) == ("Anna", 50, "a", "t1")
    assert override.source is not None
    assert (override.source.path, override.source.sheet, override.source.cell) == ("/w/a.xlsx", "Review", "F2")


def test_an_empty_row_is_nothing() -> None:
    assert found(file(row())).overrides == []


def test_what_is_stored_already_is_nothing_new() -> None:
    assert told(file(row(50.0, "a")), stored=ANNA) == []
    assert told(file(row(50.0, "a", before=(50.0, "a"))), by="Bob", stored=ANNA) == []  # who only handed it on


def test_what_was_stored_in_a_store_that_is_gone_is_new_again() -> None:
    assert told(file(row(50.0, "a", before=(50.0, "a"))), stored=[]) == [(50, "a")]


def test_a_score_that_several_made_together_is_nobodys() -> None:
    both = (75.0, "Anna: a\nBob: b")
    assert told(file(row(*both, before=both)), by="Cem", stored=[*ANNA, *BOB]) == []
    assert told(file(row(74.9, both[1], before=both)), by="Cem", stored=[*ANNA, *BOB]) == [(74.9, "")]
    added = f"{both[1]}\nme too"
    assert told(file(row(75.0, added, before=both)), by="Cem", stored=[*ANNA, *BOB]) == [(None, "me too")]
    assert told(file(row(75.0, "Anna: aa\nBob: b", before=both)), stored=[*ANNA, *BOB]) == [(50, "aa")]


def test_to_empty_a_cell_takes_back_ones_own_entry_alone() -> None:
    both = (75.0, "Anna: a\nBob: b")
    assert told(file(row(before=both)), stored=[*ANNA, *BOB]) == [(None, "")]
    result = found(file(row(before=both)), by="Cem", stored=[*ANNA, *BOB])
    assert (result.overrides, len(result.cleared_for_others)) == ([], 1)


def test_an_empty_cell_takes_something_back_only_where_that_was_entered() -> None:
    assert told(file(row(comment="a")), stored=ANNA) == [(None, "a")]
    assert told(file(row(comment="a"), name="other.xlsx"), stored=ANNA) == []
    assert told(file(row(text_hash="new")), stored=ANNA) == []


def test_of_two_copies_the_one_saved_last_is_read_last() -> None:
    new, old = file(row(25.0), saved="t3"), file(row(75.0), name="b.xlsx", saved="t2")
    assert [each.score for each in found(new, old).overrides] == [75, 25]


def test_the_same_old_copy_again_is_nothing_new() -> None:
    first = found(file(row(25.0), saved="t2"), file(row(75.0), name="b.xlsx", saved="t3")).overrides
    assert told(file(row(25.0), saved="t2"), stored=first) == []


def test_the_same_words_for_other_texts_are_new_and_stale() -> None:
    result = found(file(row(50.0, "a", text_hash="old")), stored=ANNA)
    assert (len(result.overrides), len(result.stale)) == (1, 1)


@pytest.mark.parametrize("value", [101.0, -1.0, "101"])
def test_off_the_scale(value: object) -> None:
    assert "not on the scale 0 to 100" in found(file(row(value))).problems[0][1]


def test_the_steps_of_the_scale_are_told() -> None:
    scale = Scale(min=1, max=5, step=1)
    result = find_new_overrides([(file(row(3.5)), "A")], targets=TARGETS, stored=[], scale=scale)
    assert "in steps of 1" in result.problems[0][1]


def test_a_mean_between_the_steps_that_stands_as_it_was_is_no_problem() -> None:
    result = find_new_overrides(
        [(file(row(62.5, "", before=(62.5, ""))), "A")],
        targets=TARGETS,
        stored=[*ANNA, *BOB],
        scale=Scale(min=0, max=100, step=25),
    )
    assert (result.problems, result.overrides) == ([], [])


def test_failed_formulas_and_lost_columns() -> None:
    faults = {("Review", 1, 5): "the cell shows the error #NAME?", ("Review", 1, 6): "no stored result"}
    lost = (LostColumns(sheet="Blind", row=0, missing=("Expert score",)),)
    result = found(file(row("", ""), faults=faults, lost=lost))
    assert [words for _, words in result.problems] == [
        "the column “Expert score” is not there any more: name it so again, or copy it back from the run's graded.xlsx",
        "the cell shows the error #NAME?",
        "no stored result",
    ]


def test_copies_of_a_row() -> None:
    assert found(file(row(5.0), row(5.0, number=2))).problems == []
    result = found(file(row(5.0), row("", number=2)))
    assert [(cell.cell, words.split(" at ")[1].split(",")[0]) for cell, words in result.problems] == [
        ("F3", "Review!F2")
    ]


def test_verdicts_are_about_a_criterion() -> None:
    verdict = row("no", "c", kind="verdicts", criterion=(25.0, 2))
    (override,) = found(file(verdict)).overrides
    assert (override.level, override.number, override.met, override.score) == (25, 2, False, None)
    assert "no verdict" in found(file(row("hm", kind="verdicts", criterion=(25.0, 2)))).problems[0][1]
    assert found(file(verdict), stored=[override]).overrides == []


def test_blind_entries_are_of_their_own() -> None:
    (override,) = found(file(row(25.0, kind="blind")), stored=ANNA).overrides
    assert (override.is_blind, override.score) == (True, 25)


@pytest.mark.parametrize(("score", "is_changed"), [(50.0, False), (50, False), ("50", False), (51.0, True)])
def test_judges_cells(score: object, is_changed: bool) -> None:
    judged = row(judge_hash=judge_hash(50.0, "Scored", "why"), judge_cells=(score, "Scored ", "why"))
    assert bool(found(file(judged)).changed_judge_cells) is is_changed


def test_judges_cells_on_verdicts() -> None:
    facts: dict[str, Any] = {"kind": "verdicts", "criterion": (None, 1), "judge_hash": judge_hash(None, "met", "q")}
    assert not found(file(row(judge_cells=("met", "q"), **facts))).changed_judge_cells
    assert found(file(row(judge_cells=("not met", "q"), **facts))).changed_judge_cells


BLIND: dict[str, Any] = {"kind": "blind", "sheet": "Blind", "system": ""}


def test_what_is_entered_on_blind_beside_the_judges_score_is_not_blind() -> None:
    (override,) = found(file(row(25.0, is_judge_shown=True, **BLIND))).overrides
    assert (override.is_blind, override.score) == (False, 25)
    assert len(found(file(row(25.0, is_judge_shown=True, **BLIND))).unveiled) == 1
    (override,) = found(file(row(25.0, **BLIND))).overrides  # of a copy made before
    assert override.is_blind


def test_a_blind_score_changed_in_sight_of_the_judge() -> None:
    blind = found(file(row(25.0, "a", **BLIND), name="old.xlsx")).overrides
    shown: dict[str, Any] = {"is_judge_shown": True, "before": (25.0, "a"), **BLIND}
    changed = found(file(row(75.0, "a", **shown), saved="t2"), stored=blind)
    assert [(each.is_blind, each.score) for each in changed.overrides] == [(False, 75)]
    assert changed.counts[Path("/w/a.xlsx")] == {"score": 1}
    stored = [*blind, *changed.overrides]
    assert found(file(row(75.0, "a", **shown), saved="t3"), stored=stored).overrides == []
    # A comment alone changes nothing of how the score came about, and an emptied cell takes it back.
    assert [each.is_blind for each in found(file(row(25.0, "b", **shown)), stored=blind).overrides] == [True]
    assert [each.is_blind for each in found(file(row(**shown)), stored=blind).overrides] == [True]


def test_blind_and_review_must_not_say_different_things_once_both_are_seen() -> None:
    result = found(file(row(50.0), row(25.0, number=2, is_judge_shown=True, **BLIND)))
    assert "50 at Review!F2 is about the same answer" in result.problems[0][1]


def test_one_reviewers_two_workbooks() -> None:
    result = found(file(row(50.0), saved="t1"), file(row(0.0, "no"), name="b.xlsx", saved="t2"))
    (words,) = result.contradictions
    assert "Anna says two things: 50 in a.xlsx [Review!F2] and 0, “no” in b.xlsx [Review!F2]" in words
    assert "which is 0, “no”" in words
    assert found(file(row(50.0)), file(row(50.0), name="b.xlsx")).contradictions == []
    assert found(file(row(50.0)), file(row(), name="b.xlsx")).contradictions == []


def test_entries_in_rows_without_a_key() -> None:
    result = found(file(row(50.0, key="")))
    assert ([each.score for each in result.overrides], len(result.keyless)) == ([50], 1)
    result = found(file(row(50.0, key="", item_id="")))
    assert "hidden key is gone" in result.problems[0][1] and result.problems[0][0].cell == "F2"
    assert found(file(row(key="damaged", item_id=""))).problems == []


def test_entries_in_rows_without_a_text_hash() -> None:
    result = found(file(row(50.0, text_hash=""), row(text_hash="h", kind="verdicts", criterion=(None, 1))))
    assert (len(result.hashless), len(result.stale), result.overrides[0].text_hash) == (1, 0, "h")
    result = found(file(row(50.0, text_hash="", shown_texts=("q", "a"))))
    assert (len(result.hashless), len(result.stale)) == (1, 1)


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        (LostColumns(sheet="Review", row=0, missing=()), "names of the columns is gone"),
        (LostColumns(sheet="Review", row=0, missing=("Key", "Text hash")), "hidden columns “Key” and “Text hash”"),
        (LostColumns(sheet="Review", row=0, missing=(), is_unclear=True), "whether this is Review or Blind"),
    ],
)
def test_sheets_that_cannot_be_read(lost: LostColumns, words: str) -> None:
    assert words in found(file(lost=(lost,))).problems[0][1]
