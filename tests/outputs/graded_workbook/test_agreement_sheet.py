from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import openpyxl
import pytest

from grader.outputs.graded_workbook.agreement_sheet import write_agreement
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.sheet import Book
from grader.rubric import Scale
from grader.statistics.agreement import agreement_report
from grader.statistics.ratings import JUDGE, Rating

Rows = list[tuple[object, ...]]
LIKERT = Scale(min=1, max=5, step=1)
TWO_EXPERTS = {JUDGE: [1, 2, 3, 4, 5, 5], "Ann": [1, 2, 4, 4, 5, 1], "Bo": [1, 3, 4, 4, 5, 5]}


def ratings(
    scores: Mapping[str, list[int]], *, systems: tuple[str, ...] = ("a", "b"), is_blind: bool = True, level: float = 0
) -> list[Rating]:
    return [
        Rating(
            system=system,
            item_id=f"=q{number}",
            rater=rater,
            score=score,
            is_blind=is_blind,
            criterion=(level, 1) if level else None,
        )
        for system in systems
        for rater, row in scores.items()
        for number, score in enumerate(row)
    ]


def sheet_rows(path: Path, given: list[Rating], scale: Scale = LIKERT, *, is_streamed: bool = False) -> Rows:
    book = Book(path / "agreement.xlsx", mean_format="0.00", is_streamed=is_streamed, width_unit=1.0)
    source = "Computed from a.xlsx."
    write_agreement(book, SheetNames(agreement="Agreement (2)"), agreement_report(given, scale), scale, source=source)
    book.close()
    sheet = openpyxl.load_workbook(path / "agreement.xlsx")["Agreement (2)"]
    return list(sheet.iter_rows(values_only=True))


def row_of(rows: Rows, label: str) -> tuple[object, ...]:
    return next(row for row in rows if row[0] == label)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_the_figures_stand_with_their_intervals(tmp_path: Path, is_streamed: bool) -> None:
    rows = sheet_rows(tmp_path, ratings(TWO_EXPERTS), is_streamed=is_streamed)
    labels = [row[0] for row in rows]
    assert labels[:2] == ["Agreement", "Computed from a.xlsx."]
    assert labels.index("Blind: entered without seeing the judge") < labels.index("Seen: entered in sight of the judge")
    overall = row_of(rows, "All systems")
    assert overall[1:4] == (12, 0.5, "17 to 83 %")
    start = labels.index("All systems")
    assert labels[start : start + 7] == [
        "All systems",
        "a",
        "b",
        "judge and Ann",
        "judge and Bo",
        "Ann and Bo",
        "all experts",
    ]
    assert row_of(rows, "all experts")[8] is not None and row_of(rows, "all experts")[2] is None


def test_score_against_score_counts_every_expert(tmp_path: Path) -> None:
    rows = sheet_rows(tmp_path, ratings(TWO_EXPERTS))
    start = next(index for index, row in enumerate(rows) if str(row[0]).startswith("Judge (down)"))
    assert rows[start][1:6] == ("1", "2", "3", "4", "5")
    assert [row[1:6] for row in rows[start + 1 : start + 6]] == [
        (4, None, None, None, None),
        (None, 2, 2, None, None),
        (None, None, None, 4, None),
        (None, None, None, 4, None),
        (2, None, None, None, 6),
    ]


def test_scores_between_the_offered_ones_are_counted_as_other(tmp_path: Path) -> None:
    scale = Scale(min=0, max=100, choices=(0, 50, 100))
    rows = sheet_rows(tmp_path, ratings({JUDGE: [0, 50, 75], "Ann": [0, 60, 80]}), scale)
    start = next(index for index, row in enumerate(rows) if str(row[0]).startswith("Judge (down)"))
    assert rows[start][1:5] == ("0", "50", "100", "other")
    assert [rows[start + 2][4], rows[start + 4][4]] == [2, 2]


def test_what_is_not_computable_says_why_once(tmp_path: Path) -> None:
    rows = sheet_rows(tmp_path, ratings({JUDGE: [3, 3], "Ann": [3, 3]}, systems=("only",)))
    assert [row[0] for row in rows].count("All systems") == 0
    assert row_of(rows, "only")[6] == "–"
    assert "only: kappa: not computable: one of the two gives all items the same." in [row[0] for row in rows]


def test_systems_with_hardly_a_pair_share_a_line(tmp_path: Path) -> None:
    many = ratings(TWO_EXPERTS, systems=("many",))
    rows = sheet_rows(tmp_path, [*many, *ratings({JUDGE: [3, 4], "Ann": [3, 5]}, systems=("few", "least"))])
    labels = [row[0] for row in rows]
    assert "many" in labels and "few" not in labels and "least" not in labels
    line = "Without a row of their own, as they have fewer than 3 pairs (n): few (2), least (2)."
    assert labels.count(line) == 1
    assert row_of(rows, "All systems")[1] == 10
    assert not any(str(label).startswith("few") for label in labels)


def test_without_blind_entries_it_says_how_to_get_some(tmp_path: Path) -> None:
    rows = sheet_rows(tmp_path, ratings(TWO_EXPERTS, is_blind=False))
    assert any("--blind 20" in str(row[0]) for row in rows)


def test_disputed_criteria_are_listed_as_text(tmp_path: Path) -> None:
    verdicts = {JUDGE: [1, 1, 0], "Ann": [0, 1, 0]}
    rows = sheet_rows(tmp_path, ratings(verdicts, level=25))
    assert row_of(rows, "=q0")[:8] == ("=q0", 2, "25", 1, 0, "0 to 66 %", 1, 0)
    assert not any(row[0] == "=q1" for row in rows)
