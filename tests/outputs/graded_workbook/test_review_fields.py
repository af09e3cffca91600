"""Review's columns for what a rubric's items have beside question, reference and answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from grader.inputs.rubric_file import read_rubric
from grader.outputs.graded_workbook.review_columns import Column, column_letters, columns_for, field_columns
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import Grade
from grader.rubric import OutputFormat, Rubric, Scale

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]


def rubric_of(*, inputs: tuple[str, ...] = ("question", "answer"), optional: tuple[str, ...] = ()) -> Rubric:
    return Rubric(
        name="mine",
        title="Mine",
        inputs=inputs,
        optional_inputs=optional,
        template="mine.j2",
        output=OutputFormat(format="tagged"),
        scale=Scale(min=0, max=100),
        rule="number",
    )


def with_fields(grade: Grade, fields: Mapping[str, str]) -> Grade:
    return replace(grade, item=replace(grade.item, fields=fields))


def review_of(path: Path) -> Worksheet:
    sheet = openpyxl.load_workbook(path)["Review"]
    assert isinstance(sheet, Worksheet)
    return sheet


def header(sheet: Worksheet) -> list[str]:
    return [str(cell.value) for cell in sheet[1]]


def cells(sheet: Worksheet, name: str) -> list[object]:
    index = header(sheet).index(name) + 1
    return [sheet.cell(row, index).value for row in range(2, sheet.max_row + 1)]


@pytest.mark.parametrize(
    ("name", "headers"),
    [
        ("relevance", ["Context", "Context role", "Relevant passages"]),
        ("checklist", ["History", "Checklist"]),
        ("likert", ["Context"]),
        ("accuracy", ["Instruction", "Strictness"]),
        ("integrity", ["Instruction", "Raw output"]),
        ("points", []),
        ("tiered", []),
    ],
)
def test_every_rubric_shows_what_its_judge_is_shown(name: str, headers: list[str]) -> None:
    rubric, _ = read_rubric(name)
    assert [str(column) for column in field_columns(rubric)] == headers
    names = [str(column) for column in columns_for(rubric)]
    assert names[names.index("Reference") + 1 : names.index("Criteria")] == headers


def test_fields_stand_before_the_answer_where_some_item_has_them(
    write: Write, grade: Make, criteria_path: Path
) -> None:
    rubric = rubric_of(optional=("context", "history", "raw_output"))
    first = with_fields(grade("1", question="Why?"), {"context": " So. ", "history": " \n", "unused": "x"})
    sheet = review_of(write([first, grade("2", question="How?")], criteria_path, rubric=rubric).path)

    names = header(sheet)
    assert names[names.index("Question") : names.index("Answer") + 1] == ["Question", "Context", "Answer"]
    assert cells(sheet, "Context") == ["So.", None]
    (table,) = sheet.tables.values()
    assert [each.name for each in table.tableColumns] == names
    assert sheet.freeze_panes == "G2"


def test_formulas_follow_the_columns_that_fields_move(write: Write, grade: Make, criteria_path: Path) -> None:
    made = with_fields(grade("1"), {"context": "So."})
    path = write([made], criteria_path, rubric=rubric_of(optional=("context",))).path
    sheet = review_of(path)
    letters = {name: column_letters(index) for index, name in enumerate(header(sheet))}

    assert f"${letters['Expert score']}2" in str(cells(sheet, "Final")[0])
    (rule,) = (rule for rule in sheet.data_validations.dataValidation if rule.type is not None)
    assert str(rule.sqref).startswith(letters["Expert score"])
    summary = openpyxl.load_workbook(path)["Summary"]
    assert f"'Review'!${letters['Final']}$2" in str(summary["D8"].value)


def test_what_the_expert_typed_is_found_behind_fields(write: Write, grade: Make, criteria_path: Path) -> None:
    made = with_fields(grade("1"), {"context": "So.", "expert_score": "7", "key": "k"})
    plain = write([made], criteria_path).path
    book = openpyxl.load_workbook(plain)
    sheet = book["Review"]
    sheet.cell(2, [cell.value for cell in sheet[1]].index("Expert score") + 1).value = 75
    book.save(plain)
    rubric = rubric_of(optional=("context", "expert_score", "key"))

    for _ in range(2):  # once from a workbook without fields, once from one with them
        again = review_of(write([made], criteria_path, rubric=rubric).path)
        assert cells(again, "Expert score") == [75]
        assert cells(again, "Expert score (2)") == ["7"]
        assert cells(again, "Key (2)") == ["k"]


def test_fields_of_any_name_get_headers_that_differ() -> None:
    odd = ("score", "final", "Final", "raw output", "raw_output", "a\nb")
    columns = columns_for(rubric_of(inputs=("question", "patient_notes", "answer"), optional=odd))
    names = [str(column) for column in columns]

    assert len({name.casefold() for name in names}) == len(names)
    assert {"Patient notes", "Score", "Final (2)", "Final (3)", "Raw output", "Raw output (2)", "A b"} <= set(names)
    assert set(Column) <= set(columns)


def test_a_long_context_makes_no_row_a_page_high(write: Write, grade: Make, criteria_path: Path) -> None:
    made = with_fields(grade("1"), {"context": "word " * 6_000})
    short = with_fields(grade("2"), {"context": "word"})
    sheet = review_of(write([made, short], criteria_path, rubric=rubric_of(optional=("context",))).path)
    letter = column_letters(header(sheet).index("Context"))

    assert sheet.row_dimensions[2].height == pytest.approx(260, abs=1)
    assert sheet.row_dimensions[3].height < 40
    assert sheet.column_dimensions[letter].width == pytest.approx(52, abs=1.5)
    assert len(str(cells(sheet, "Context")[0])) > 29_000
