"""Runs side by side: made as a store holds them, compared as `grader compare` does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from grader.comparing.comparing import compare
from grader.comparison_records import Comparison
from grader.errors import GraderError, InputError, RunError
from grader.inputs.rubric_file import read_rubric
from grader.outputs.compare_json import write_compare_json
from grader.outputs.expert_views import ExpertViews
from grader.outputs.graded_workbook.agreement_sheet import write_agreement
from grader.outputs.graded_workbook.blind_choice import draw_number
from grader.outputs.graded_workbook.compare_sheet import write_compare_workbook
from grader.outputs.graded_workbook.keys import grade_key, text_hash
from grader.outputs.graded_workbook.names import SheetNames
from grader.outputs.graded_workbook.sheet import Book
from grader.records import Grade, Item, Override, Status, StoredGrade, Verdict
from grader.store.run_head import RunHead, keep_head, stored_head
from grader.store.run_reader import reading_run
from grader.store.run_store import RunStore

Table = Mapping[str, Sequence[float | None]]
"""System to the score of each question; `None` is not scored."""

GOOD = [100.0, 50, 100, 100, 50, 100, 100, 25, 100, 100, 50, 100]
POOR = [0.0, 0, 25, 0, 0, 50, 0, 0, 25, 0, 0, 0]


def made_grade(system: str, number: int, score: float | None, model: str, **more: Any) -> Grade:
    status = Status.PARSE_ERROR if score is None else Status.OK
    item = {"question": f"Question {number}?", "answer": f"{system} says {number}", "group": "abc"[number % 3]}
    sample = more.pop("sample", 1)
    return Grade(
        item=Item(id=str(number), system=system, **{**item, **more}),
        verdict=Verdict(status=status, score=score, analysis=f"{model} thinks"),
        rubric="tiered",
        model=model,
        sample=sample,
    )


def run_of(path: Path, grades: Sequence[Grade], *, rubric: str = "tiered", overrides: Sequence[Override] = ()) -> Path:
    """Put grades into a store as a run does."""
    jobs = tuple((grade.item.system, grade.item.id, grade.sample) for grade in grades)
    head = RunHead(
        record={"model": grades[0].model},
        rubric=read_rubric(rubric)[0],
        criteria_path=path / "criteria.xlsx",
        jobs=jobs,
    )
    with RunStore(path) as store:
        keep_head(store, head)
        store.write([StoredGrade(position=place, grade=grade) for place, grade in enumerate(grades)])
        if overrides:
            store.add_overrides(overrides)
    return path


def table_run(path: Path, table: Table, model: str = "judge-a", **more: Any) -> Path:
    rubric, overrides = more.pop("rubric", "tiered"), more.pop("overrides", ())
    grades = [
        made_grade(system, number, score, model, **more)
        for system, scores in table.items()
        for number, score in enumerate(scores, start=1)
    ]
    return run_of(path, grades, rubric=rubric, overrides=overrides)


def entry(grade: Grade, score: float, *, is_blind: bool) -> Override:
    return Override(
        system=grade.item.system,
        item_id=grade.item.id,
        sample=grade.sample,
        score=score,
        is_blind=is_blind,
        text_hash=text_hash(grade.item),
        reviewer="Anna",
        entered="2024-02-29T12:00:00Z",
    )


def test_systems_of_one_run(tmp_path: Path) -> None:
    run = table_run(tmp_path / "run", {"poor": POOR, "good": GOOD, "also": GOOD[::-1]})
    found = compare([run])
    assert (found.kind, found.scores, found.warnings) == ("systems", "final", ())
    assert {each.name: each.rank for each in found.standings} == {"good": 1, "also": 1, "poor": 3}
    assert found.standings[-1].name == "poor"
    assert next(each for each in found.standings if each.name == "good").not_told_apart == ("also",)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("poor", "good"), ("poor", "also"), ("good", "also")]
    assert set(found.groups) == {"a", "b", "c"}
    assert sum(pairs[0].difference.n for pairs in found.groups.values()) == 12
    first = found.far_apart[0]
    assert (first.first.answer, first.second.analysis) == (f"poor says {first.item_id}", "judge-a thinks")
    assert abs(first.first.score - first.second.score) == 100


def test_only_some_systems(tmp_path: Path) -> None:
    run = table_run(tmp_path / "run", {"poor": POOR, "good": GOOD, "also": GOOD})
    assert len(compare([run], systems=["poor", "good"]).pairs) == 1
    with pytest.raises(InputError, match="no system “goood”"):
        compare([run], systems=["goood"])


def test_systems_of_several_judges_or_rubric_versions_are_said(tmp_path: Path) -> None:
    runs = [table_run(tmp_path / name, {name: GOOD}, f"judge-{name}") for name in ("x", "y")]
    (warning,) = compare(runs).warnings
    assert "not all scored by one judge (judge-x, judge-y)" in warning
    same = table_run(tmp_path / "z", {"z": POOR}, "judge-x")
    assert compare([runs[0], same]).warnings == ()
    with RunStore(same) as store:
        head = stored_head(store)
        keep_head(store, replace(head, rubric=head.rubric.model_copy(update={"title": "Another"})))
    assert compare([runs[0], same]).warnings == ("the runs were judged by different versions of the rubric tiered",)


def test_what_is_not_scored_is_left_out_counted_and_said(tmp_path: Path) -> None:
    run = table_run(tmp_path / "run", {"poor": [None, *POOR[1:]], "good": [*GOOD[:-2], None, None]})
    found = compare([run])
    assert (found.pairs[0].difference.n, found.pairs[0].left_out) == (9, 3)
    assert found.warnings == (
        "INCOMPLETE: poor: 1 of 12 items have no score",
        "INCOMPLETE: good: 2 of 12 items have no score",
    )


def test_samples_are_averaged_before_they_are_paired(tmp_path: Path) -> None:
    sampled: dict[str, list[tuple[float | None, ...]]] = {"x": [(0, 100), (50, 50)], "y": [(100, 100), (0, None)]}
    grades = [
        made_grade(system, number, score, "m", sample=sample)
        for system, scores in sampled.items()
        for number, pair in enumerate(scores, start=1)
        for sample, score in enumerate(pair, start=1)
    ]
    pair = compare([run_of(tmp_path / "run", grades)]).pairs[0]
    assert (pair.difference.n, pair.difference.value, pair.wins, pair.losses) == (2, 0, 1, 1)


def test_systems_of_several_runs_get_names_of_their_own(tmp_path: Path) -> None:
    runs = [
        table_run(tmp_path / "one", {"x": POOR, "only": GOOD}),
        table_run(tmp_path / "two", {"x": GOOD}, answer="else"),
    ]
    found = compare(runs)
    assert found.kind == "systems"
    assert {each.name for each in found.standings} == {"x (one)", "only", "x (two)"}


def test_judges_of_the_same_answers(tmp_path: Path) -> None:
    systems = {"x": POOR, "y": GOOD}
    runs = [table_run(tmp_path / name, systems, name) for name in ("a", "b")]
    found = compare([*runs, table_run(tmp_path / "c", {"x": GOOD, "y": GOOD}, "c")])
    assert (found.kind, found.scores) == ("judges", "judge")
    assert {each.rank for each in found.standings} == {None}
    pairs = {(pair.first, pair.second): pair for pair in found.pairs}
    assert pairs["x (a)", "x (b)"].difference.value == 0
    assert pairs["x (a)", "x (c)"].is_told_apart
    overall = pairs["all systems (a)", "all systems (c)"]
    assert overall.difference.n == 12
    assert overall.difference.value == pytest.approx((sum(POOR) - sum(GOOD)) / 24)
    assert compare(runs, by="system").kind == "systems"
    with pytest.raises(InputError, match="no system has been judged in two runs"):
        compare([runs[0]], by="judge")


def test_other_questions_under_the_same_id_are_left_out_and_said(tmp_path: Path) -> None:
    one = table_run(tmp_path / "one", {"x": POOR})
    grades = [made_grade("y", number, 50, "m") for number in range(1, 13)]
    grades[2] = made_grade("y", 3, 50, "m", question="Another?")
    grades[3] = made_grade("y", 4, 50, "m", question=" Question  4?\n")
    found = compare([one, run_of(tmp_path / "two", grades)])
    assert found.pairs[0].difference.n == 11
    assert (
        "1 question has another text or other criteria under the same id, and is left out (id 3)" in found.warnings[-1]
    )


def test_experts_scores_count_first_unless_they_are_not_wanted(tmp_path: Path) -> None:
    changed = entry(made_grade("poor", 1, 0, "judge-a"), 100, is_blind=False)
    run = table_run(tmp_path / "run", {"poor": POOR, "good": GOOD}, overrides=[changed])
    assert compare([run]).pairs[0].ties == 1
    alone = compare([run], is_judge_only=True)
    assert (alone.pairs[0].ties, alone.scores) == (0, "judge")


def test_yes_and_no_are_tested_by_mcnemar(tmp_path: Path) -> None:
    table = {"x": [100.0] * 8 + [0.0] * 2, "y": [0.0] * 8 + [100.0, 0.0]}
    found = compare([table_run(tmp_path / "run", table, rubric="accuracy")])
    assert found.pairs[0].test == "exact McNemar test"
    assert found.pairs[0].p_value == pytest.approx(0.0390625)
    assert "Wilson" in found.standings[0].mean.method


def blind_run(path: Path, *, is_picked: bool = False, labelled: int = 15) -> Path:
    """A run of one generous judge, whose expert has scored the first rows of the draw blind, or some by choice."""
    grades = [made_grade(system, number, 25.0 * (number % 4) + 25, "m") for system in "xy" for number in range(1, 61)]
    drawn = sorted(grades, key=lambda grade: draw_number(grade_key(grade)))
    chosen = drawn[::4][:labelled] if is_picked else drawn[:labelled]
    overrides = [
        entry(grade, (grade.verdict.score or 0) - (25 if place % 3 else 0), is_blind=True)
        for place, grade in enumerate(chosen)
    ]
    return run_of(path, grades, rubric="tiered", overrides=overrides)


def test_means_are_corrected_by_what_was_scored_blind(tmp_path: Path) -> None:
    corrected = compare([blind_run(tmp_path / "run", labelled=40)], margin=3).standings[0].corrected
    assert corrected is not None and corrected.ppi.value is not None and corrected.judge.value is not None
    assert corrected.ppi.value < corrected.judge.value - 10
    assert corrected.more is not None and corrected.more.margin == 3
    assert corrected.row_count == 60


@pytest.mark.parametrize(
    ("is_picked", "labelled", "words"), [(True, 30, "no random sample"), (False, 6, "at least 10")]
)
def test_a_sample_that_does_not_carry_it_is_refused(tmp_path: Path, is_picked: bool, labelled: int, words: str) -> None:
    corrected = compare([blind_run(tmp_path / "run", is_picked=is_picked, labelled=labelled)]).standings[0].corrected
    assert corrected is not None and words in corrected.ppi.reason


def files_of(found: Comparison, folder: Path) -> tuple[dict[str, Any], list[list[Any]]]:
    write_compare_json(folder / "compare.json", found)
    path = write_compare_workbook(folder / "compare.xlsx", found)
    sheet = load_workbook(path)["Compare"]
    rows = [[cell for cell in row if cell is not None] for row in sheet.iter_rows(values_only=True)]
    return json.loads((folder / "compare.json").read_text("utf-8")), rows


def test_the_file_and_the_sheet_say_the_same(tmp_path: Path) -> None:
    found = compare([blind_run(tmp_path / "run")])
    record, rows = files_of(found, tmp_path)
    pair = record["pairs"][0]
    assert (pair["first"], pair["second"], pair["is_told_apart"]) == ("x", "y", False)
    assert set(pair["difference"]) == {"n", "value", "low", "high", "method", "reason"}
    assert record["standings"][0]["corrected"]["ppi"]["method"].startswith("prediction-powered")
    assert ["x", "y", 60] in [row[:3] for row in rows]
    assert any(row and row[0] == "Means corrected by what experts scored blind" for row in rows)
    assert any(row and "BCa" in str(row[0]) for row in rows) or "reason" in pair["difference"]


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    grades = [
        made_grade(system, number, 100.0 * (system == "=x"), "m", question="=1+1", answer=f"<script>{system}" * 9000)
        for system in ("=x", "<b>")
        for number in (1, 2)
    ]
    _, rows = files_of(compare([run_of(tmp_path / "run", grades)]), tmp_path)
    assert ["=x", "<b>", 2] in [row[:3] for row in rows]
    assert any(row and row[0] == "1: =1+1 (b)" for row in rows)


def test_runs_that_cannot_be_compared(tmp_path: Path) -> None:
    run = table_run(tmp_path / "run", {"x": POOR})
    other = table_run(tmp_path / "other", {"y": [1, 2, 3]}, rubric="likert")
    cases: list[tuple[list[Path], type[GraderError], str]] = [
        ([tmp_path], RunError, "no run.db"),
        ([run], InputError, "not two systems"),
        ([run, run], InputError, "named twice"),
        ([run, other], InputError, "different scales"),
    ]
    for paths, kind, words in cases:
        with pytest.raises(kind, match=words):
            compare(paths)


def test_a_damaged_store_is_told(tmp_path: Path) -> None:
    run = table_run(tmp_path / "run", {"x": POOR, "y": GOOD})
    (run / "run.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with pytest.raises(RunError):
        compare([run])


def test_a_run_in_use_is_read_and_none_is_changed(tmp_path: Path) -> None:
    run = table_run(tmp_path / "run", {"x": POOR, "y": GOOD})
    with RunStore(run):
        assert len(compare([run]).pairs) == 1
    before = (run / "run.db").read_bytes()
    compare([run / "run.db"])
    assert (run / "run.db").read_bytes() == before


def test_a_store_of_before_there_were_overrides_has_none(tmp_path: Path) -> None:
    run = table_run(tmp_path / "run", {"x": POOR, "y": GOOD})
    with RunStore(run) as store:
        store._writer.execute("DROP TABLE override")
    with reading_run(run) as reader:
        assert reader.overrides() == []


def test_a_review_has_the_corrected_means_too(tmp_path: Path) -> None:
    """What `grader review` shows, and agreement.json, the sheet Agreement and summary.json hold."""
    with reading_run(blind_run(tmp_path / "run", labelled=40)) as reader:
        grades, rubric = reader.grades(), read_rubric("tiered")[0]
        views = ExpertViews(grades, reader.overrides(), rubric)
        report = views.agreement(grades)
        assert report is not None
        assert [each.system for each in report.corrected] == [None, "x", "y"]
        assert views.record()["corrected"][0]["ppi"]["n"] == 120
        book = Book(tmp_path / "a.xlsx", mean_format="0.00", is_streamed=False, width_unit=1.0)
        write_agreement(book, SheetNames(), report, rubric.scale)
        book.close()
    rows = list(load_workbook(tmp_path / "a.xlsx")["Agreement"].iter_rows(values_only=True))
    place = next(number for number, row in enumerate(rows) if row[0] == "Means corrected by what experts scored blind")
    assert rows[place + 1][7] == "Corrected (PPI++)"
    assert rows[place + 2][:3] == ("All systems", 40, 120)
    assert rows[place + 2][7] == pytest.approx(report.corrected[0].ppi.value)
