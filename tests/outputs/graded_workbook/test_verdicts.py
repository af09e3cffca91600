from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from grader.criterion_score import CRITERION_SCORES
from grader.inputs.rubric_file import read_rubric
from grader.outputs.graded_workbook import review_formulas
from grader.outputs.graded_workbook.entry_rows import CriterionKey
from grader.outputs.graded_workbook.expert_entries import CriterionEntry, ExpertEntry
from grader.outputs.graded_workbook.expert_result import shown_final, veiled
from grader.outputs.graded_workbook.keys import grade_key, text_hash
from grader.outputs.graded_workbook.write import write_graded_workbook
from grader.records import Criterion, CriterionVerdict, Grade, Item, Status, Verdict
from grader.rubric import Rubric

SOFFICE = shutil.which("soffice")
RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>"""

ITEM = ("ID", "System", "Level", "No.")


def rubric_of(rule: str) -> Rubric:
    return read_rubric(rule)[0]


def make_grade(
    rule: str,
    item_id: str,
    criteria: list[Criterion],
    met: list[bool] | None,
    *,
    system: str = "alpha",
    sample: int = 1,
) -> Grade:
    item = Item(id=item_id, system=system, answer="An answer.", question="Why?", criteria=tuple(criteria))
    if met is None:
        verdict = Verdict(status=Status.REFUSED, score=None)
    else:
        verdicts = tuple(
            CriterionVerdict(number=each.number, level=each.level, met=is_met, evidence=f"quote {each.number}")
            for each, is_met in zip(criteria, met, strict=True)
        )
        score = CRITERION_SCORES[rule](verdicts, item, rubric_of(rule))
        verdict = Verdict(status=Status.OK, score=score, items=verdicts, analysis="Because.")
    return Grade(item=item, verdict=verdict, rubric=rule, model="judge-1", sample=sample)


def tiers(item_id: str, *levels: float) -> list[Criterion]:
    numbers: dict[float, int] = {}
    made = []
    for level in levels:
        numbers[level] = numbers.get(level, 0) + 1
        made.append(Criterion(item_id=item_id, text=f"Names {level}", level=level, number=numbers[level]))
    return made


def written(path: Path, grades: list[Grade], rule: str, **options: Any) -> Path:
    out = write_graded_workbook(
        path, criteria_path=None, grades=grades, rubric=rubric_of(rule), about={"Run": "1"}, **options
    )
    return out.path


def rows(path: Path, sheet: str, *, values: bool = True) -> list[dict[str, Any]]:
    read = openpyxl.load_workbook(path, data_only=values)[sheet].iter_rows(values_only=True)
    header = [str(name) for name in next(read)]
    return [dict(zip(header, row, strict=True)) for row in read]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    grades = [
        make_grade("tiered-items", "007", tiers("007", 25, 50, 50), [True, False, True]),
        make_grade("tiered-items", "2", tiers("2", 100), None),
    ]
    return written(tmp_path / "graded.xlsx", grades, "tiered-items")


def test_each_criterion_of_each_item_has_a_row(two: Path) -> None:
    found = rows(two, "Verdicts")

    assert [tuple(row[name] for name in ITEM) for row in found] == [
        ("007", "alpha", 25, 1),
        ("007", "alpha", 50, 1),
        ("007", "alpha", 50, 2),
        ("2", "alpha", 100, 1),
    ]
    assert [row["Judge verdict"] for row in found] == ["met", "not met", "met", None]
    assert [row["Final verdict"] for row in found] == ["met", "not met", "met", None]
    assert [row["Evidence"] for row in found] == ["quote 1", "quote 1", "quote 2", None]
    assert [row["Points"] for row in found] == [25, 50, 50, 100]
    assert {row["Key"] for row in found} == {row["Key"] for row in rows(two, "Review")}


def test_verdicts_come_behind_review_as_a_table_with_frozen_ids(two: Path) -> None:
    book = openpyxl.load_workbook(two)
    sheet = book["Verdicts"]

    assert book.sheetnames[:3] == ["Review", "Verdicts", "Summary"]
    assert sheet.tables["tblVerdicts"].ref == "A1:O5"
    assert sheet.freeze_panes == "G2"
    assert sheet.column_dimensions["A"].hidden
    (rule,) = sheet.data_validations.dataValidation
    assert (rule.type, rule.formula1) == ("list", "'_lists'!$B$1:$B$2")
    assert [cell.value for cell in book["_lists"]["B"]][:2] == ["met", "not met"]


def test_a_rubric_without_criterion_verdicts_has_no_such_sheet(tmp_path: Path) -> None:
    grade = make_grade("tiered-items", "1", tiers("1", 50), [True])

    path = written(tmp_path / "graded.xlsx", [grade], "tiered")

    assert "Verdicts" not in openpyxl.load_workbook(path).sheetnames


def test_what_the_expert_said_of_a_criterion_is_shown_and_counts(tmp_path: Path) -> None:
    grade = make_grade("tiered-items", "1", tiers("1", 25, 50), [True, False])
    criteria: dict[CriterionKey, CriterionEntry] = {
        (50.0, 1): CriterionEntry(met=True, comment="It does."),
        (25.0, 1): CriterionEntry(met="perhaps"),
    }
    entry = ExpertEntry(criteria=criteria, text_hash=text_hash(grade.item))
    path = tmp_path / "graded.xlsx"

    found = shown(path, [grade], "tiered-items", {grade_key(grade): entry})

    assert [row["Expert verdict"] for row in found] == ["perhaps", "met"]
    assert [row["Final verdict"] for row in found] == ["met", "met"]
    assert [row["Entered before"] for row in found] == ['["perhaps", ""]', '[true, "It does."]']
    assert [(row["Final"], row["Difference"]) for row in rows(path, "Review")] == [(50, 25)]


def shown(path: Path, grades: list[Grade], rule: str, entries: Mapping[str, ExpertEntry]) -> list[dict[str, Any]]:
    """Write our sheets with entries that stand in the store and in the cells, and return the rows of Verdicts."""
    from grader.outputs.graded_workbook.names import SheetNames
    from grader.outputs.graded_workbook.our_sheets import Contents, write_our_sheets
    from grader.outputs.graded_workbook.survey import survey_grades

    survey = survey_grades(grades, rubric_of(rule), entries, stored=entries)
    contents = Contents(
        grades=grades, survey=survey, entries=entries, stored=entries, about={}, judge_note="", is_baseline=False
    )
    write_our_sheets(path, contents, SheetNames())
    return rows(path, "Verdicts")


def test_a_workbook_too_large_to_be_live_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_formulas, "MOST_COMPARISONS", 1)
    grade = make_grade("tiered-items", "1", tiers("1", 25, 50), [True, False])
    entry = ExpertEntry(criteria={(50.0, 1): CriterionEntry(met=True)}, text_hash=text_hash(grade.item))
    path = tmp_path / "graded.xlsx"
    shown(path, [grade], "tiered-items", {grade_key(grade): entry})

    sheet = openpyxl.load_workbook(path)["Review"]
    (row,) = rows(path, "Review", values=False)

    assert row["Expert result"] == f'=IF(TRIM($O2)="",50,{review_formulas.typed_score("$O2")})'
    assert any("grader review" in (rule.prompt or "") for rule in sheet.data_validations.dataValidation)
    assert rows(path, "Review")[0]["Final"] == 50


def made_at_random(rule: str, count: int) -> Iterator[tuple[Grade, ExpertEntry]]:
    """Yield grades and what an expert entered: nothing, scores, texts that are no scores, some or all verdicts."""
    chance = random.Random(rule)
    said: list[bool | str] = [True, False, False, "so so"]
    for number in range(count):
        if rule == "points":
            weights = [2.0, *(chance.choice([1, 2, 0.5, -1, -3]) for _ in range(chance.randrange(4)))]
            criteria = [
                Criterion(item_id=str(number), text=f"Says {place}", number=place, points=points)
                for place, points in enumerate(weights, start=1)
            ]
        else:
            levels = sorted(chance.choices([25, 50, 100], k=chance.randint(1, 5)))
            criteria = tiers(str(number), *levels)
        met = None if chance.random() < 0.2 else [chance.random() < 0.4 for _ in criteria]
        grade = make_grade(rule, str(number), criteria, met)
        share = chance.choice([0, 0, 0.4, 1])
        entered = {
            (each.level, each.number): CriterionEntry(met=chance.choice(said))
            for each in criteria
            if chance.random() < share
        }
        score: float | str | None = chance.choice([None, None, None, None, 75.0, 0.0, "about 3"])
        yield grade, ExpertEntry(score=score, criteria=entered, text_hash=text_hash(grade.item))


RULES = ["tiered-items", "points"]
Pairs = list[tuple[Grade, ExpertEntry]]


@pytest.fixture(scope="module")
def computed_by_libreoffice(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Pairs, Path]]:
    """By rule: grades and what was typed, and the workbook of both that LibreOffice has saved."""
    folder = tmp_path_factory.mktemp("computed")
    pairs = {rule: list(made_at_random(rule, 60)) for rule in RULES}
    for rule, made in pairs.items():
        path = written(folder / f"{rule}.xlsx", [grade for grade, _ in made], rule, blind_count=10)
        book = openpyxl.load_workbook(path)
        type_in(book, {grade_key(grade): entry for grade, entry in made})
        book.save(path)  # without the values of formulas, so that LibreOffice has to compute them
    saved = recalculated([folder / f"{rule}.xlsx" for rule in RULES], folder / "saved")
    return {rule: (pairs[rule], path) for rule, path in zip(RULES, saved, strict=True)}


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("rule", RULES)
def test_libreoffice_computes_the_final_scores_that_are_ours(
    rule: str, computed_by_libreoffice: dict[str, tuple[Pairs, Path]]
) -> None:
    pairs, saved = computed_by_libreoffice[rule]
    computed = {row["Key"]: row for row in rows(saved, "Review")}

    assert sum(row["Judge score"] == "blind" for row in computed.values()) == 10
    for grade, entry in pairs:
        row = computed[grade_key(grade)]
        grade = veiled(grade) if row["Judge score"] == "blind" else grade
        final, judge = shown_final(grade, entry, rubric_of(rule)), grade.verdict.score
        assert number(row["Final"]) == (None if final is None else pytest.approx(final)), (row, entry)
        has_both = judge is not None and final is not None
        is_entered = entry.score is not None or any(isinstance(each.met, bool) for each in entry.criteria.values())
        difference = final - judge if has_both and is_entered else None  # type: ignore[operator]
        assert number(row["Difference"]) == (None if difference is None else pytest.approx(difference)), (row, entry)


def number(value: object) -> object:
    return value if isinstance(value, int | float) else None


def type_in(book: openpyxl.Workbook, entries: Mapping[str, ExpertEntry]) -> None:
    """Type entries into the cells as an expert would."""
    for key, (row,) in cells(book["Review"], "Key").items():
        row["Expert score"].value = entries[key].score
    for key, found in cells(book["Verdicts"], "Key").items():
        for row in found:
            level: Any = row["Level"].value if "Level" in row else None
            number: Any = row["No."].value
            met = entries[key].criteria.get((level, number), CriterionEntry()).met
            row["Expert verdict"].value = {"True": "met", "False": "not met"}.get(str(met), met)


def cells(sheet: Any, name: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a sheet as cells by header, grouped by the value in the column `name`."""
    header = [str(cell.value) for cell in sheet[1]]
    found: dict[str, list[dict[str, Any]]] = {}
    for row in sheet.iter_rows(min_row=2):
        named = dict(zip(header, row, strict=True))
        found.setdefault(str(named[name].value), []).append(named)
    return found


def recalculated(paths: Sequence[Path], folder: Path) -> list[Path]:
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(RECALCULATE)
    command = [str(SOFFICE), f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", "xlsx"]
    subprocess.run([*command, "--outdir", str(folder), *map(str, paths)], check=True, capture_output=True, timeout=120)
    return [folder / path.name for path in paths]
