"""Workbooks of experts, and what becomes of them when their criteria are graded by two systems."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from grader.errors import InputError
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.rubric_file import read_rubric
from grader.outputs.graded_workbook.in_place.place import CriteriaSheet
from grader.outputs.graded_workbook.write import WrittenWorkbook, write_graded_workbook
from grader.records import CellRef, Criterion, CriterionVerdict, Grade, Item, Status, Verdict

RUBRICS = {"points": "points", "tiered": "tiered-items", "questions": "likert"}
HEADER = ["id", "question", "criterion", "points"]
ROWS = [
    ["q1", "Why?", "Names the dose", 5],
    ["q1", "Why?", "Names the unit", 3],
    ["q2", "When?", "Names the date", 2],
]

Annotate = Callable[..., WrittenWorkbook]
MakeBook = Callable[..., Path]


def made_grades(path: Path, systems: Sequence[str] = ("alpha", "beta"), samples: int = 1) -> tuple[list[Grade], Any]:
    """Return made-up grades of the criteria in a workbook, and where they were read."""
    try:
        table = read_criteria_workbook(path)
    except InputError:
        item = Item(id="1", system="alpha", answer="", source=CellRef(path=str(path), sheet="Rubric", cell="A2"))
        verdict = Verdict(status=Status.OK, score=3)
        return [Grade(item=item, verdict=verdict, rubric="likert", model="m")], ("likert", CriteriaSheet("Rubric", 1))
    rubric = RUBRICS[table.layout]
    top = read_rubric(rubric)[0].scale.max
    grades = []
    for number, row in enumerate(table.rows):
        for system in systems:
            item = Item(
                id=row.item_id, system=system, answer="15 mg/kg", criteria=row.criteria, source=row.source, question="?"
            )
            for sample in range(1, samples + 1):
                met = tuple(verdict_on(each, (each.number + number + sample) % 2 == 0) for each in row.criteria)
                verdict = Verdict(status=Status.OK, score=top / sample, items=met, analysis="=1+1 Because.")
                grades.append(Grade(item=item, verdict=verdict, rubric=rubric, model="judge-1", sample=sample))
    return grades, (rubric, CriteriaSheet(table.sheet or "", table.header_row))


def verdict_on(criterion: Criterion, met: bool) -> CriterionVerdict:
    return CriterionVerdict(number=criterion.number, level=criterion.level, met=met, evidence="15 mg/kg" if met else "")


@pytest.fixture
def grades_of() -> Callable[..., tuple[list[Grade], Any]]:
    return made_grades


@pytest.fixture
def annotate(tmp_path: Path) -> Annotate:
    """Grade a workbook's criteria and write the graded copy."""

    def run(
        path: Path, systems: Sequence[str] = ("alpha", "beta"), samples: int = 1, **options: Any
    ) -> WrittenWorkbook:
        grades, (rubric, sheet) = made_grades(path, systems, samples)
        settings = {"criteria_sheet": sheet, "grades": grades, "about": {"Run": "run-1"}, **options}
        return write_graded_workbook(
            tmp_path / "out" / "graded.xlsx", criteria_path=path, rubric=read_rubric(rubric)[0], **settings
        )

    return run


@pytest.fixture
def book(tmp_path: Path) -> MakeBook:
    """Make an expert's workbook of three criteria, and let `change(workbook, sheet)` add what the test is about."""

    def make(change: Callable[[Any, Any], object] | None = None, header: Sequence[str] = HEADER) -> Path:
        path = tmp_path / "criteria.xlsx"
        workbook = xlsxwriter.Workbook(str(path))
        sheet = workbook.add_worksheet("Rubric")
        for number, row in enumerate([list(header), *ROWS]):
            sheet.write_row(number, 0, row)
        if change is not None:
            change(workbook, sheet)
        workbook.close()
        return path

    return make


@pytest.fixture
def parts_of() -> Callable[[Path], dict[str, bytes]]:
    def read(path: Path) -> dict[str, bytes]:
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    return read


@pytest.fixture
def criteria_and_answers(tmp_path: Path) -> list[str]:
    """Arguments of `grader score`: a workbook of two questions and one system's answers."""
    criteria, answers = tmp_path / "criteria.xlsx", tmp_path / "apollo.jsonl"
    with xlsxwriter.Workbook(str(criteria)) as workbook:
        sheet = workbook.add_worksheet("Criteria")
        rows = [["id", "question", 50, 100], [1, "Which side?", "(1) names the moon", "(1) the far side"]]
        for number, row in enumerate([*rows, [2, "Which rocket?", "(1) a rocket", "(1) its name"]]):
            sheet.write_row(number, 0, row)
    answers.write_text('{"id": 1, "answer": "The far side."}\n{"id": 2, "answer": "A rocket."}\n', encoding="utf-8")
    return ["--criteria", str(criteria), "--answers", str(answers)]
