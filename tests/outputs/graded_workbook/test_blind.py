from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from grader.outputs.graded_workbook import write as writing
from grader.outputs.graded_workbook.expert_entries import ExpertEntry
from grader.outputs.graded_workbook.formats import BLIND_FORMAT
from grader.outputs.graded_workbook.keys import grade_key, judge_hash, text_hash
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.our_sheets import Contents, write_our_sheets
from grader.outputs.graded_workbook.survey import survey_grades
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade
from grader.rubric import Rubric

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]

OF_JUDGE = ("Judge score", "Verdict", "Judge analysis", "Final")


def rows(path: Path, sheet: str, *, values: bool = True) -> list[dict[str, Any]]:
    read = openpyxl.load_workbook(path, data_only=values)[sheet].iter_rows(values_only=True)
    header = [str(name) for name in next(read)]
    return [dict(zip(header, row, strict=True)) for row in read]


def keys(path: Path, sheet: str = "Blind") -> list[str]:
    return [row["Key"] for row in rows(path, sheet)]


def formats(sheet: Worksheet, key: str) -> dict[str, str]:
    """Return the number formats of a row's cells by the names of the columns."""
    (row,) = (row for row in sheet.iter_rows(min_row=2) if row[0].value == key)
    return {str(head.value): str(cell.number_format) for head, cell in zip(sheet[1], row, strict=True)}


@pytest.fixture
def grades(grade: Make) -> list[Grade]:
    return [grade(str(number), system, 50.0) for number in range(10) for system in ("alpha", "beta")]


def test_no_rows_are_blind_unless_wanted(write: Write, grades: list[Grade]) -> None:
    book = openpyxl.load_workbook(write(grades).path)

    assert "Blind" not in book.sheetnames
    assert "Blind row" not in [cell.value for cell in book["Review"][1]]


def test_blind_shows_the_texts_and_nothing_of_judge_or_system(write: Write, grade: Make) -> None:
    grades = [grade(str(number), question="Why?", reference="So.", analysis="Because.") for number in range(5)]
    book = openpyxl.load_workbook(write(grades, blind_count=3).path)
    sheet = book["Blind"]

    assert book.sheetnames[:2] == ["Review", "Blind"]
    assert [cell.value for cell in sheet[1]] == [
        *("Key", "Text hash", "Entered before", "ID", "Question", "Reference"),
        *("Answer", "Expert score", "Expert comment"),
    ]
    assert sheet.max_row == 4
    assert "alpha" not in [cell.value for row in sheet.iter_rows() for cell in row]
    assert sheet.tables["tblBlind"].ref == "A1:I4"
    assert "list" in [rule.type for rule in sheet.data_validations.dataValidation]


def test_the_draw_is_the_same_again_and_grows_without_exchanging_rows(write: Write, grades: list[Grade]) -> None:
    few, again = keys(write(grades, blind_count=4).path), keys(write(list(reversed(grades)), blind_count=4).path)
    more = keys(write(grades, blind_count=9).path)

    assert few == again
    assert set(few) < set(more)
    assert len(set(more)) == 9


def test_the_draw_is_not_led_by_place_or_system(write: Write, grades: list[Grade]) -> None:
    drawn = keys(write(grades, blind_count=10).path)
    places = [place for place, grade in enumerate(grades) if grade_key(grade) in drawn]

    assert places not in (list(range(10)), list(range(10, 20)))
    assert drawn != [grade_key(grade) for grade in grades if grade_key(grade) in drawn]


def test_more_than_there_are_means_all_and_is_said(write: Write, grades: list[Grade], grade: Make) -> None:
    written = write([*grades, grade("0", "alpha", 25.0, sample=2)], blind_count=99)

    assert len(keys(written.path)) == 20
    assert any("20 rows to score blind, not 99" in note for note in written.notes)


def test_what_the_judge_said_of_a_blind_row_is_not_in_the_file(write: Write, grade: Make) -> None:
    grades = [grade(str(n), score=62.5, analysis="A telling word.", flags=("suspicious",)) for n in range(4)]
    path = write(grades, blind_count=4).path

    for row in rows(path, "Review"):
        assert [row[name] for name in OF_JUDGE] == ["blind"] * 4
        assert row["Needs review"] is None
        assert row["Difference"] is None
        assert row["Judge hash"] == judge_hash("blind", "blind", "blind")
    with zipfile.ZipFile(path) as archive:
        everything = b"".join(map(archive.read, archive.namelist()))
    assert b"62.5" not in everything
    assert b"telling" not in everything


def test_rows_that_are_not_blind_are_shown(write: Write, grades: list[Grade]) -> None:
    path = write(grades, blind_count=2).path
    shown = {row["Key"]: row["Final"] for row in rows(path, "Review")}

    assert {key for key, final in shown.items() if final == "blind"} == set(keys(path))
    assert {final for key, final in shown.items() if key not in keys(path)} == {50}


def test_summary_leaves_blind_rows_out_and_says_so(write: Write, grade: Make) -> None:
    grades = [grade(str(n), score=100.0 if n else 0.0) for n in range(4)]
    drawn = keys(write(grades, blind_count=1).path)
    left = [each.verdict.score or 0.0 for each in grades if grade_key(each) not in drawn]
    sheet = openpyxl.load_workbook(write(grades, blind_count=1).path, data_only=True)["Summary"]
    lines = [[cell.value for cell in row] for row in sheet.iter_rows(max_col=13)]
    (place,) = (number for number, line in enumerate(lines) if line[1] == "Rank")
    figures = dict(zip(lines[place], lines[place + 1], strict=True))

    assert (figures["Items"], figures["Scored"], figures["Not scored"], figures["Still blind"]) == (4, 3, 0, 1)
    assert figures["Final mean"] == figures["Judge mean"] == pytest.approx(sum(left) / 3)
    assert not any("INCOMPLETE" in str(line[0]) for line in lines)
    assert any("still blind are left out" in str(line[0]) for line in lines)


def test_final_looks_at_blind_on_blind_rows_only(write: Write, grades: list[Grade]) -> None:
    path = write(grades, blind_count=2).path
    blind = set(keys(path))

    for row in rows(path, "Review", values=False):
        assert ("'Blind'!" in str(row["Blind score"])) is (row["Key"] in blind)


def contents(path: Path, grades: list[Grade], rubric: Rubric, stored: Mapping[str, ExpertEntry]) -> Path:
    survey = survey_grades(grades, rubric, stored, stored=stored)
    made = Contents(
        grades=grades, survey=survey, entries=stored, stored=stored, about={}, judge_note="", is_baseline=False
    )
    assert made.blind_keys == survey.masked
    write_our_sheets(path, made, SheetNames())
    return path


def test_a_row_stays_blind_and_is_shown_once_its_blind_score_is_stored(
    grades: list[Grade], rubric: Rubric, tmp_path: Path
) -> None:
    first, second, third = grades[:3]
    stored = {
        grade_key(first): ExpertEntry(blind_score=75.0, blind_comment="Good.", text_hash=text_hash(first.item)),
        grade_key(second): ExpertEntry(blind_comment="Hm.", text_hash=text_hash(second.item)),
        grade_key(third): ExpertEntry(blind_score=25.0, score=100.0, text_hash=text_hash(third.item)),
    }
    path = contents(tmp_path / "graded.xlsx", grades, rubric, stored)
    sheet = openpyxl.load_workbook(path)["Review"]
    by_key = {row["Key"]: row for row in rows(path, "Review")}
    on_blind = {row["Key"]: row for row in rows(path, "Blind")}

    assert set(on_blind) == set(stored)
    assert on_blind[grade_key(first)]["Entered before"] == '[75.0, "Good."]'
    assert BLIND_FORMAT not in formats(sheet, grade_key(first)).values()
    assert BLIND_FORMAT in formats(sheet, grade_key(second)).values()
    assert [by_key[grade_key(each)]["Final"] for each in (first, second, third)] == [75, "blind", 100]
    assert by_key[grade_key(first)]["Difference"] == 25
    assert by_key[grade_key(first)]["Entered before"] is None


def test_rows_that_were_blind_stay_so(write: Write, grades: list[Grade]) -> None:
    kept = {grade_key(grades[7]), "of a row that is gone"}

    assert keys(write(grades, blind_kept=kept).path) == [grade_key(grades[7])]


def test_summary_compares_blind_scores_by_themselves(grades: list[Grade], rubric: Rubric, tmp_path: Path) -> None:
    blind, seen = grades[0], grades[2]
    stored = {
        grade_key(blind): ExpertEntry(blind_score=75.0, text_hash=text_hash(blind.item)),
        grade_key(seen): ExpertEntry(score=50.0, text_hash=text_hash(seen.item)),
    }
    sheet = openpyxl.load_workbook(contents(tmp_path / "g.xlsx", grades, rubric, stored), data_only=True)["Summary"]
    lines = [[cell.value for cell in row] for row in sheet.iter_rows(max_col=9)]
    (place,) = (number for number, line in enumerate(lines) if line[1] == "Compared")
    figures = {line[0]: line[1:] for line in lines[place + 1 :]}

    assert figures["alpha"] == [1, 1, 0, 0, 1, 0, 25, 25]
    assert figures["beta"][0] == figures["beta"][4] == 0


def test_streamed_workbooks_have_blind_rows_too(
    write: Write, grades: list[Grade], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MOST_ROWS_IN_COPY", 10)
    path = write(grades, blind_count=3).path
    sheet = openpyxl.load_workbook(path)["Review"]

    assert len(keys(path)) == 3
    assert all(BLIND_FORMAT in formats(sheet, key).values() for key in keys(path))


def test_rows_of_an_earlier_workbook_stay_blind_without_being_asked_for(write: Write, grades: list[Grade]) -> None:
    before = keys(write(grades, blind_count=4).path)
    written = write(grades[:-1])

    assert written.path.name == "graded.xlsx"
    assert set(keys(written.path)) == {key for key in before if key != grade_key(grades[-1])}


def test_other_samples_of_a_blind_answer_say_nothing_of_the_judge_either(write: Write, grade: Make) -> None:
    samples = [grade("1", score=25.0), grade("1", score=75.0, sample=2), grade("1", score=50.0, sample=3)]

    review = openpyxl.load_workbook(write(samples, blind_count=1).path)["Review"]

    column = [each.value for each in review[1]].index("Judge score") + 1
    assert [review.cell(row, column).value for row in (2, 3, 4)] == ["blind"] * 3
