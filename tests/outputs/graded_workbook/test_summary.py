from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from statsmodels.stats.proportion import proportion_confint

from grader.inputs.rubric_file import read_rubric
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.sheet import Book, SheetWriteError, checked
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade
from grader.rubric import Rubric, Scale

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]
Rows = list[tuple[object, ...]]


def summary_rows(written: WrittenWorkbook, *, values: bool = True) -> Rows:
    sheet = openpyxl.load_workbook(written.path, data_only=values)["Summary"]
    return list(sheet.iter_rows(values_only=True))


def table(rows: Rows, heading: str) -> Rows:
    """Return a table's header and rows without the empty cells on the right."""
    start = next(index for index, row in enumerate(rows) if row[0] == heading) + 1
    found = []
    for row in rows[start:]:
        if row[0] is None or str(row[0]).startswith("±"):
            break
        found.append(row)
    width = sum(cell is not None for cell in found[0])
    return [row[:width] for row in found]


@pytest.fixture
def grades(grade: Make) -> list[Grade]:
    scores: dict[str, list[float | None]] = {"weak*": [0, 25, None], "strong": [100, 50, 75]}
    return [
        grade(str(number), system, score, group="GUI" if number else "Layout")
        for system, series in scores.items()
        for number, score in enumerate(series)
    ]


def test_the_leaderboard_has_true_values(write: Write, grades: list[Grade], criteria_path: Path) -> None:
    header, first, second = table(summary_rows(write(grades, criteria_path)), "Leaderboard")

    assert header[:5] == ("System", "Rank", "Items", "Scored", "Final mean")
    assert first[:5] == ("strong", 1, 3, 3, 75)
    assert first[5] == pytest.approx(62.10344)  # T.INV.2T(0.05, 2) * 25 / SQRT(3)
    assert (first[6], first[7]) == (pytest.approx(75 - 62.10344), pytest.approx(75 + 62.10344))
    assert second == ("weak*", 2, 3, 2, 12.5, pytest.approx(158.82756), *second[6:8], 1, 1, 0, 12.5)


def test_groups_distribution_and_agreement_have_true_values(
    write: Write, grades: list[Grade], criteria_path: Path
) -> None:
    rows = summary_rows(write(grades, criteria_path))

    assert table(rows, "Final mean by group") == [
        ("System", "Layout", "GUI"),
        ("strong", 100, 62.5),
        ("weak*", 0, 25),
    ]
    assert table(rows, "Distribution of final scores")[1:] == [
        ("strong", 0, 0, 1, 1, 1, 0),
        ("weak*", 1, 1, 0, 0, 0, 0),
    ]
    assert table(rows, "Agreement of expert and judge")[1][:2] == ("strong", 0)


def test_more_groups_than_systems_go_down_the_page(write: Write, grade: Make, criteria_path: Path) -> None:
    grades = [grade(str(n), "alpha", float(n), group=f"group {n}") for n in range(3)]

    assert table(summary_rows(write(grades, criteria_path)), "Final mean by group") == [
        ("Group", "alpha"),
        ("group 0", 0),
        ("group 1", 1),
        ("group 2", 2),
    ]


def test_every_figure_is_a_formula_over_review(write: Write, grades: list[Grade], criteria_path: Path) -> None:
    rows = summary_rows(write(grades, criteria_path), values=False)

    figures = [cell for row in table(rows, "Leaderboard")[1:] for cell in row[1:]]
    assert all(str(cell).startswith("=") for cell in figures)
    assert any("'Review'!$" in str(cell) for cell in figures)
    # Functions newer than Excel 2007 need a prefix in the file that other programs do not know.
    assert not any("_xlfn" in str(cell) or "T.INV" in str(cell) for cell in figures)


def test_one_score_or_equal_scores_have_no_interval(write: Write, grade: Make, criteria_path: Path) -> None:
    grades = [grade("1", "one", 50), grade("1", "same", 25), grade("2", "same", 25), grade("1", "none", None)]

    leaderboard = table(summary_rows(write(grades, criteria_path)), "Leaderboard")

    assert [row[0] for row in leaderboard[1:]] == ["one", "same", "none"]
    assert [row[4:8] for row in leaderboard[1:]] == [
        (50, None, None, None),
        (25, None, None, None),
        (None, None, None, None),
    ]
    assert [row[1] for row in leaderboard[1:]] == [1, 2, None]


def test_it_says_who_judged(write: Write, grade: Make, criteria_path: Path) -> None:
    llm = summary_rows(write([grade()], criteria_path))
    baseline = summary_rows(write([grade()], criteria_path, judge_note="offline", is_baseline=True))
    silent = summary_rows(write([grade()], criteria_path, judge_note=""))

    assert llm[2][0] == "Judge: judge-1, temperature 0"
    assert baseline[2][0] == "TEXT-MATCHING BASELINE, NO LLM – Judge: offline"
    assert silent[2][0] is None


def test_too_many_missing_scores_are_said_first(write: Write, grade: Make, criteria_path: Path) -> None:
    missing = [grade(str(n), score=None if n < 2 else 50) for n in range(20)]

    assert summary_rows(write(missing, criteria_path))[3][0] == "INCOMPLETE: only 18 of 20 items have a score."
    assert summary_rows(write(missing[1:], criteria_path))[3][0] == "INCOMPLETE: only 18 of 19 items have a score."
    assert summary_rows(write(missing[2:], criteria_path))[3][0] is None


def test_with_samples_the_interval_is_over_questions_and_said_to_be_of_the_moment(
    write: Write, grade: Make, criteria_path: Path
) -> None:
    rows = summary_rows(write([grade(sample=1), grade(sample=2, score=25)], criteria_path))

    assert any("samples averaged first" in str(row[0]) and "of the moment of writing" in str(row[0]) for row in rows)


def test_yes_and_no_have_wilsons_interval_live(write: Write, grade: Make, criteria_path: Path) -> None:
    yes_no = read_rubric("accuracy")[0]
    graded = [grade(str(number), score=100 * (number < 3)) for number in range(10)]
    written = write(graded, criteria_path, rubric=yes_no)
    row = table(summary_rows(written), "Leaderboard")[1]
    low, high = proportion_confint(3, 10, method="wilson")
    assert row[4:8] == pytest.approx((30, 50 * (high - low), 100 * low, 100 * high))
    formulas = table(summary_rows(written, values=False), "Leaderboard")[1]
    assert all("NORMSINV" in str(formulas[column]) for column in (5, 6, 7))


def test_there_are_two_native_charts_over_summary(write: Write, grades: list[Grade], criteria_path: Path) -> None:
    with zipfile.ZipFile(write(grades, criteria_path).path) as archive:
        charts = [archive.read(name).decode() for name in archive.namelist() if "charts/chart" in name]

    assert len(charts) == 2
    assert all("Summary!$" in chart for chart in charts)
    assert sum("errBars" in chart for chart in charts) == 1


def test_means_of_a_scale_up_to_one_have_three_decimals(
    write: Write, grade: Make, rubric_with: Callable[[Scale], Rubric], criteria_path: Path
) -> None:
    written = write([grade(score=0.5)], criteria_path, rubric=rubric_with(Scale(min=0, max=1)))

    assert openpyxl.load_workbook(written.path)["Summary"]["E8"].number_format == "0.000"


def test_about_tells_how_to_review_and_what_ran(write: Write, grade: Make, criteria_path: Path) -> None:
    about = {"Run": "run-1", "Command": "=grader score"}
    sheet = openpyxl.load_workbook(write([grade()], criteria_path, about=about).path)["About"]
    pairs = {row[0]: row[1] for row in sheet.iter_rows(values_only=True, max_col=2)}

    assert "Review" in str(pairs["1. Look"])
    assert pairs["Judge"] == "judge-1, temperature 0"
    assert pairs["Command"] == "=grader score"


def test_a_refusal_of_the_writer_is_an_error(tmp_path: Path) -> None:
    book = Book(tmp_path / "x.xlsx", mean_format="0.00", is_streamed=True, width_unit=1)
    sheet = book.add_sheet(SheetNames().review)
    sheet.text(5, 0, "later row", book.formats["plain"])

    with pytest.raises(SheetWriteError):
        sheet.text(0, 0, "earlier row", book.formats["plain"])
    with pytest.raises(SheetWriteError):
        sheet.number(6, 0, float("nan"), book.formats["plain"])
    checked(None)
    checked(0)
    book.close()
    with pytest.raises(FileNotFoundError):
        Book(tmp_path / "no folder" / "x.xlsx", mean_format="0", is_streamed=False, width_unit=1).close()


def test_a_line_says_how_many_rows_need_review_and_where_to_filter(write: Write, grade: Make) -> None:
    sheet = openpyxl.load_workbook(write([grade("1"), grade("2", score=None)]).path, data_only=True)["Summary"]
    calm = openpyxl.load_workbook(write([grade("1")]).path, data_only=True)["Summary"]

    assert sheet["A5"].value == (
        "Needs review: 1 of 2 rows: on Review, filter the column Needs review by everything but blanks."
    )
    assert calm["A5"].value == "No row needs review."
