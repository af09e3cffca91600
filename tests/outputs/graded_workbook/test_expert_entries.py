from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from openpyxl import Workbook

from grader.outputs.graded_workbook.entry_rows import EntryRow, LostColumns, entry_rows
from grader.outputs.graded_workbook.entry_values import entered_comment
from grader.outputs.graded_workbook.expert_entries import (
    CriterionEntry,
    ExpertEntry,
    Unreadable,
    read_entries,
    same_score,
    typed_over,
    with_stale,
)
from grader.outputs.graded_workbook.review_row import entered_before
from grader.outputs.graded_workbook.text import cut_text, fits

REVIEW = ["Key", "Text hash", "Entered before", "ID", "Judge score", "Expert score", "Expert comment", "System"]
VERDICTS = ["Key", "Text hash", "Entered before", "ID", "Level", "No.", "Judge verdict", "Expert verdict"]
VERDICTS.append("Expert comment")
BLIND = ["Key", "Text hash", "Entered before", "ID", "Expert score", "Expert comment"]


def rows(*cells: Sequence[object]) -> list[EntryRow]:
    found = list(entry_rows("S", cells))
    assert all(isinstance(row, EntryRow) for row in found)
    return [row for row in found if isinstance(row, EntryRow)]


def test_a_sheet_is_known_by_its_header_wherever_that_stands() -> None:
    (row,) = rows(["My title"], [], REVIEW, ["k", "h", '[50, "x"]', "1", 25.0, 75.0, "c"])
    assert (row.kind, row.row, row.value_column, row.comment_column, row.judge_column) == ("review", 3, 5, 6, None)
    assert (row.key, row.text_hash, row.value, row.comment, row.before) == ("k", "h", 75.0, "c", (50, "x"))


def test_the_other_sheets() -> None:
    (verdict,) = rows(VERDICTS, ["k", "h", "", "1", 25, 2.0, "met", "no", ""])
    assert (verdict.kind, verdict.criterion, verdict.value, verdict.before) == ("verdicts", (25.0, 2), "no", None)
    (blind,) = rows(BLIND, ["k", "h", "nonsense", 17.0, 3, ""])
    assert (blind.kind, blind.criterion, blind.before, blind.item_id) == ("blind", None, None, "17")


def test_what_is_not_ours_has_no_rows() -> None:
    assert rows(["id", "criterion"], ["1", "x"]) == []
    assert rows() == []
    assert rows(REVIEW, ["", "", "", "1", 5, "", ""]) == []  # nothing was entered


def test_columns_that_are_gone_are_told() -> None:
    assert list(entry_rows("S", [["Key", "Text hash", "Judge score"]])) == [
        LostColumns(sheet="S", row=0, missing=("Expert score", "Expert comment"), is_unclear=True)
    ]
    (lost,) = entry_rows("S", [["ID", "System", "Answer", "Expert score", "Expert comment"]])
    assert isinstance(lost, LostColumns) and lost.missing == ("Key", "Text hash")
    (lost,) = entry_rows("S", [["0123456789abcdef", "0123456789abcdef", "1", 5]])
    assert lost == LostColumns(sheet="S", row=0, missing=())
    assert list(entry_rows("S", [["a title"]], kind="blind")) == [lost]


def test_a_row_that_has_lost_its_key_is_found_by_its_entry() -> None:
    (row,) = rows([*REVIEW, "Question", "Answer"], ["", "", "", "1", 5, 75, "", "s", "q", "a"])
    assert (row.key, row.value, row.system, row.shown_texts) == ("", 75, "s", ("q", "a"))


def test_what_kind_a_sheet_is_takes_more_than_one_column() -> None:
    header = ["KI-Note" if name == "Judge score" else name for name in REVIEW]
    (lost,) = entry_rows("S", [header])
    assert isinstance(lost, LostColumns) and lost.is_unclear
    (row,) = rows([*header, "Final"], ["k", "h", "", "1", 5, 75, "", "s", ""])
    assert row.kind == "review"
    (marked,) = entry_rows("S", [BLIND, ["k", "h", "", "1", 75, ""]], kind="review")
    assert isinstance(marked, EntryRow) and marked.kind == "review"


def test_a_comment_that_was_cut_for_its_cell_is_the_one_that_was_stored() -> None:
    comment = "why " * 20_000
    before = entered_before(50.0, comment)
    assert fits(before)
    (same,) = rows(REVIEW, ["k", "h", before, "1", 5, 50, cut_text(comment), "s"])
    assert same.before == (50, entered_comment(cut_text(comment)))
    (other,) = rows(REVIEW, ["k", "h", before, "1", 5, 50, "mine", "s"])
    assert other.before == (50, "")


@pytest.mark.parametrize("text", ["", "[1]", "7", '["a", "b"]', "[1, 2]", "{", "null"])
def test_an_unreadable_note_of_what_was_stored_is_none(text: str) -> None:
    assert rows(REVIEW, ["k", "h", text, "1", 5, 5, ""])[0].before is None


def save(path: Path, sheets: dict[str, list[Sequence[object]]]) -> Path:
    book = Workbook()
    for name, cells in sheets.items():
        sheet = book.create_sheet(name)
        for row in cells:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(path)
    return path


def test_all_sheets_make_one_entry(tmp_path: Path) -> None:
    path = save(
        tmp_path / "g.xlsx",
        {
            "Review": [REVIEW, ["k", "h", "", "1", 25, "3,5", "c"], ["l", "h", "", "2", 25, "high", ""]],
            "Verdicts": [VERDICTS, ["k", "h", "", "1", None, 2, "met", "not met", "why"]],
            "Blind": [BLIND, ["k", "h", '[50, ""]', "1", 4, "b"]],
            "Other": [REVIEW, ["z", "h", "", "1", 25, 1, ""]],
        },
    )
    entries = read_entries(path)
    assert entries == {
        "k": ExpertEntry(
            score=3.5,
            comment="c",
            blind_score=4.0,
            blind_comment="b",
            blind_before=(50, ""),
            criteria={(None, 2): CriterionEntry(met=False, comment="why")},
            text_hash="h",
        ),
        "l": ExpertEntry(score="high", text_hash="h"),
    }
    assert set(read_entries(path, ["Other"])) == {"z"}


def test_what_is_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "g.xlsx").write_bytes(b"PK")
    with pytest.raises(Unreadable):
        read_entries(tmp_path / "g.xlsx")


STORED = ExpertEntry(score=50.0, comment="a", text_hash="h", criteria={(None, 1): CriterionEntry(met=True)})


def over(typed: ExpertEntry, *, is_reviewed: bool = False) -> ExpertEntry:
    return typed_over({"k": STORED}, {"k": typed}, is_reviewed=is_reviewed)["k"]


def test_what_was_typed_since_lies_over_what_is_stored_part_by_part() -> None:
    typed = ExpertEntry(score=75.0, comment="old", before=(25.0, "old"), text_hash="h", blind_score=3.0)
    merged = over(typed)
    assert (merged.score, merged.comment, merged.blind_score) == (75.0, "a", 3.0)
    assert merged.criteria == STORED.criteria


def test_what_stands_as_it_was_stored_is_no_news() -> None:
    assert over(ExpertEntry(score=25.0000000000001, before=(25.0, ""), text_hash="h")).score == 50.0


def test_a_cleared_cell_is_news() -> None:
    assert over(ExpertEntry(before=(50.0, "a"), text_hash="h")).score is None
    cleared = ExpertEntry(text_hash="h", criteria={(None, 1): CriterionEntry(before=(True, ""))})
    assert over(cleared).criteria[(None, 1)].met is None


def test_nothing_lies_over_what_has_just_been_stored() -> None:
    assert over(ExpertEntry(score=75.0, text_hash="h"), is_reviewed=True) == STORED
    assert over(ExpertEntry(score=75.0, text_hash="other"), is_reviewed=True) == STORED


def test_what_was_typed_for_other_texts_is_shown_beside_what_is_stored() -> None:
    found = with_stale(over(ExpertEntry(score=75.0, text_hash="other")), "h")
    assert (found.score, "75" in found.stale) == (50, True)
    found = with_stale(over(ExpertEntry(score=75.0, before=(75.0, ""), text_hash="other", stale="Anna: 75")), "h")
    assert (found.score, found.stale) == (50, "Anna: 75")


def test_rows_that_the_store_does_not_know_are_kept() -> None:
    typed = ExpertEntry(score=75.0, before=(75.0, ""), text_hash="h")
    assert typed_over({}, {"k": typed}) == {"k": typed}


def test_scores_are_the_same_but_for_digits_cut_on_saving() -> None:
    assert same_score(100 / 3, 33.3333333333333)
    assert not same_score(None, 0.0) and same_score(None, None)


def test_what_counts_again_is_no_longer_called_stale() -> None:
    known = ExpertEntry(score=50.0, comment="c1", text_hash="h", counting=frozenset({"Ann: 50, “c1”"}))
    typed = {
        "k": ExpertEntry(text_hash="h", stale="Ann: 50, “c1”"),
        "l": ExpertEntry(text_hash="h", stale="Ann: 50, “c1”\nBen: 0"),
    }

    laid = typed_over({"k": known, "l": known}, typed)

    assert (laid["k"].score, laid["k"].stale) == (50.0, "")
    assert laid["l"].stale == "Ben: 0"
