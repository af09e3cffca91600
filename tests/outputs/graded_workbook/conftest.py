"""Grades, a rubric and small criteria workbooks for these tests, made afresh in each test's own folder."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from grader.outputs.graded_workbook.write import WrittenWorkbook, write_graded_workbook
from grader.records import Criterion, Grade, Item, Status, Verdict
from grader.rubric import OutputFormat, Rubric, Scale

ABOUT = {"Run": "run-1", "Model": "judge-1"}

GradeMaker = Callable[..., Grade]


@pytest.fixture
def rubric() -> Rubric:
    return make_rubric(Scale(min=0, max=100, choices=(0, 25, 50, 75, 100)))


@pytest.fixture
def rubric_with() -> Callable[[Scale], Rubric]:
    return make_rubric


def make_rubric(scale: Scale) -> Rubric:
    return Rubric(
        name="tiered",
        title="Tiered criteria",
        inputs=("question", "answer", "criteria"),
        template="tiered.j2",
        output=OutputFormat(format="tagged"),
        scale=scale,
        rule="number",
    )


@pytest.fixture
def grade() -> GradeMaker:
    def make(
        id: str = "1",
        system: str = "alpha",
        score: float | None = 50.0,
        *,
        answer: str = "An answer.",
        question: str = "",
        reference: str = "",
        criteria: Sequence[Criterion] = (),
        group: str | None = None,
        sample: int = 1,
        status: Status | None = None,
        **verdict: Any,
    ) -> Grade:
        status = status or (Status.OK if score is not None else Status.PARSE_ERROR)
        item = Item(
            id=id,
            system=system,
            answer=answer,
            question=question,
            reference=reference,
            criteria=tuple(criteria),
            group=group,
        )
        made = Verdict(status=status, score=score, **{"analysis": "Because.", **verdict})
        return Grade(item=item, verdict=made, rubric="tiered", model="judge-1", sample=sample)

    return make


@pytest.fixture
def criteria_path(tmp_path: Path) -> Path:
    """A workbook of the expert's: two sheets, a table, a formula, a format of its own."""
    path = tmp_path / "criteria.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Criteria")
    sheet.add_table("A1:B3", {"name": "tblCriteria", "columns": [{"header": "id"}, {"header": "criterion"}]})
    red = book.add_format({"bg_color": "#FF0000", "num_format": "0.000 \\x"})
    sheet.write_row(1, 0, ["1", "Names the dose"], red)
    sheet.write_row(2, 0, ["2", "Names the unit"], red)
    other = book.add_worksheet("Notes")
    other.write_formula("A1", "=1+1", None, 2)
    book.define_name("Dose", "=Notes!$A$1")
    book.close()
    return path


@pytest.fixture
def repacked() -> Callable[[Path, Mapping[str, bytes | None]], Path]:
    """Change parts of a workbook in place: new bytes, or `None` to leave a part out."""

    def change(path: Path, parts: Mapping[str, bytes | None]) -> Path:
        with zipfile.ZipFile(path) as archive:
            contents: dict[str, bytes | None] = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in {**contents, **parts}.items():
                if data is not None:
                    archive.writestr(name, data)
        return path

    return change


@pytest.fixture
def write(tmp_path: Path, rubric: Rubric) -> Callable[..., WrittenWorkbook]:
    """Write a graded workbook to `out/graded.xlsx` with what matters to the test."""

    def run(grades: Any, criteria_path: Path | None = None, **options: Any) -> WrittenWorkbook:
        settings = {"rubric": rubric, "about": ABOUT, "judge_note": "judge-1, temperature 0"}
        target = tmp_path / "out" / "graded.xlsx"
        return write_graded_workbook(target, criteria_path=criteria_path, grades=grades, **{**settings, **options})

    return run
