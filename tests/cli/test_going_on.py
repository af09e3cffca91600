"""What an expert typed, and where, as `score`, `rescore` and `review` follow each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from openpyxl import Workbook, load_workbook

from grader.cli.main import cli

Grade = Callable[..., Result]
UNCHANGED = "they were left as they are"


@pytest.fixture
def graded(grade: Grade, tmp_path: Path) -> Path:
    assert grade().exit_code == 0
    return tmp_path / "run" / "graded.xlsx"


def run(*words: object) -> Result:
    done = CliRunner().invoke(cli, list(map(str, words)))
    assert done.exit_code in (0, 3), done.output
    return done


def edit(path: Path, change: Callable[[Workbook], None]) -> None:
    book = load_workbook(path)
    change(book)
    book.save(path)


def type_score(path: Path, row: int, score: object) -> None:
    def change(book: Workbook) -> None:
        names = [each.value for each in book["Review"][1]]
        book["Review"].cell(row, names.index("Expert score") + 1).value = score  # type: ignore[assignment]

    edit(path, change)


def scores(path: Path) -> list[object]:
    rows = list(load_workbook(path)["Review"].iter_rows(values_only=True))
    return [row[rows[0].index("Expert score")] for row in rows[1:]]


def workbooks(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.glob("*.xlsx"))


def finals(path: Path) -> list[float]:
    lines = path.with_name("results.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["final_score"] for line in lines]


def test_entries_that_are_not_in_the_figures_are_said_until_they_are_reviewed(graded: Path, grade: Grade) -> None:
    type_score(graded, 2, 25)
    type_score(graded, 3, 0)
    said = "2 entries in graded.xlsx are not yet in the figures: run grader review"
    for done in (grade(), grade(), run("rescore", graded.parent)):
        assert said in done.stderr
    assert UNCHANGED in grade().output and said in grade().stderr

    assert "figures" not in run("review", graded).stderr
    assert finals(graded)[:2] == [25, 0]
    assert "figures" not in grade().stderr


def test_what_is_typed_under_the_name_that_was_given_is_taken_on_and_reviewed(graded: Path, grade: Grade) -> None:
    lock = graded.with_name("~$graded.xlsx")
    lock.write_text("")
    type_score(graded, 2, 25)
    assert "saved as graded (2).xlsx" in grade().stderr
    lock.unlink()
    type_score(graded.with_name("graded (2).xlsx"), 3, 0)

    done = grade()

    assert UNCHANGED not in done.output
    assert scores(graded)[:2] == [25, 0]
    assert workbooks(graded) == ["graded (2).xlsx", "graded.xlsx"]
    assert UNCHANGED in grade().output
    run("review", graded)
    assert finals(graded)[:2] == [25, 0]
    assert UNCHANGED in grade().output


def test_a_copy_that_was_reviewed_under_such_a_name_counts_once(graded: Path, grade: Grade) -> None:
    copy = graded.with_name("graded (2).xlsx")
    copy.write_bytes(graded.read_bytes())
    type_score(copy, 2, 0)
    type_score(graded, 2, 100)
    run("review", graded, copy, "--reviewer", "Ann", "--reviewer", "Bob")
    assert finals(graded)[0] == 50

    done = run("rescore", graded.parent)

    assert "figures" not in done.stderr
    assert (scores(graded)[0], finals(graded)[0]) == (50, 50)


def test_what_cannot_be_carried_over_is_kept_under_another_name_once(graded: Path, grade: Grade) -> None:
    edit(graded, lambda book: book["Summary"].__setitem__("A90", "Discuss on Monday"))
    for _ in range(2):
        assert grade().exit_code == 0
        run("rescore", graded.parent)
    assert workbooks(graded) == ["graded (earlier 1).xlsx", "graded.xlsx"]
    assert load_workbook(graded.with_name("graded (earlier 1).xlsx"))["Summary"]["A90"].value == "Discuss on Monday"


def test_entries_about_rows_that_are_gone_are_kept_and_named(graded: Path, grade: Grade, tmp_path: Path) -> None:
    type_score(graded, 2, 25)
    other = tmp_path / "hermes.jsonl"
    other.write_bytes((tmp_path / "apollo.jsonl").read_bytes())

    done = grade(answers=other)

    assert done.exit_code == 0
    assert "(id 1 of apollo)" in done.stderr
    assert "kept as graded (earlier 1).xlsx" in done.stderr
    assert scores(graded.with_name("graded (earlier 1).xlsx"))[0] == 25


@pytest.mark.parametrize("is_reviewed", [True, False])
def test_review_and_rescore_without_the_criteria_workbook_keep_the_expert_s_sheets(
    graded: Path, criteria_path: Path, is_reviewed: bool
) -> None:
    criteria_path.rename(criteria_path.with_name("elsewhere.xlsx"))
    type_score(graded, 2, 25)

    done = run("review", graded) if is_reviewed else run("rescore", graded.parent)

    assert "sheets were taken from graded.xlsx" in done.stderr
    assert load_workbook(graded).sheetnames[:2] == ["Criteria", "Review"]
    assert scores(graded)[0] == 25


def change_criteria(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = graded.parent.with_name("criteria.xlsx")
    edit(path, lambda book: book.create_sheet("More of mine"))


def touch_graded(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    type_score(graded, 2, 25)


def delete_results(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graded.with_name("results.jsonl").unlink()


def type_beside(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = graded.with_name("graded (2).xlsx")
    copy.write_bytes(graded.read_bytes())
    type_score(copy, 2, 25)


def update_grader(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.pipeline.__version__", "99")


def install_exporter(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    entry = EntryPoint("mine", "json:dumps", "grader.exporters")
    monkeypatch.setattr("grader.pipeline.find_plugins", lambda _: {"mine": entry})


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "change", [change_criteria, touch_graded, delete_results, type_beside, update_grader, install_exporter]
)
def test_a_finished_run_is_written_anew_once_something_has_changed(
    graded: Path, grade: Grade, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, Any], None]
) -> None:
    assert UNCHANGED in grade().output
    change(graded, monkeypatch)

    assert UNCHANGED not in grade().output
    assert UNCHANGED in grade().output


@pytest.mark.parametrize("options", [("--blind", "1"), ("--judge-empty",), ("--rubric", "tiered-items")])
def test_a_finished_run_is_written_anew_with_another_option(
    graded: Path, grade: Grade, options: tuple[str, ...]
) -> None:
    assert UNCHANGED in grade().output
    done = grade(*options)
    assert done.exit_code == 0 and UNCHANGED not in done.output


def test_a_finished_run_is_graded_anew_with_another_template(grade: Grade, tmp_path: Path) -> None:
    run("rubrics", "new", "mine", "--like", "tiered")
    mine = ("--rubric", tmp_path / "rubrics" / "mine.yaml")
    assert grade(*mine).exit_code == 0
    assert UNCHANGED in grade(*mine).output

    with (tmp_path / "templates" / "mine.j2").open("a", encoding="utf-8") as template:
        template.write("{# only a remark #}")

    assert UNCHANGED not in grade(*mine).output


def test_a_fresh_start_says_where_a_store_is_that_it_cannot_read(graded: Path, grade: Grade) -> None:
    graded.with_name("run.db").write_bytes(b"damaged" * 100)
    done = grade("--fresh")
    assert done.exit_code == 0
    assert "was kept as run (earlier 1).db" in done.stderr


def test_a_fresh_start_keeps_several_experts_apart(graded: Path, grade: Grade, tmp_path: Path) -> None:
    for name, score in (("Ann", 0), ("Bob", 100)):
        copy = tmp_path / f"{name}.xlsx"
        copy.write_bytes(graded.read_bytes())
        type_score(copy, 2, score)
        run("review", copy, "--run", graded.parent, "--reviewer", name)

    done = grade("--fresh")

    assert "2 entries of experts were kept" in done.stderr
    record = json.loads(graded.with_name("results.jsonl").read_text("utf-8").splitlines()[0])
    assert [each["reviewer"] for each in record["experts"]] == ["Ann", "Bob"]
    assert record["final_score"] == 50
