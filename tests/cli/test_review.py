from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from grader.cli.main import cli

Grade = Callable[..., Result]
Results = Callable[[], list[dict[str, Any]]]
Edits = Mapping[tuple[str, str, str], object]
"""Sheet, what the row is about (`1`, or `1 25/1` on Verdicts), and column, to what is typed there."""

SOFFICE = shutil.which("soffice")
FILES = ("results.jsonl", "summary.json", "agreement.json", "skipped.log")


@pytest.fixture(scope="module")
def _graded(small_inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of tiered-items in it that has a blind row; scores 50, 50, 0."""
    folder = Path(shutil.copytree(small_inputs, tmp_path_factory.mktemp("graded"), dirs_exist_ok=True))
    with contextlib.chdir(folder):
        words = "score --criteria criteria.xlsx --answers apollo.jsonl --out run --rubric tiered-items --blind 1"
        done = CliRunner().invoke(cli, words.split())
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(autouse=True)
def run(_graded: Path, criteria_path: Path, answers_path: Path, tmp_path: Path) -> Path:
    """The run, copied; its criteria workbook and answers are as the first ones."""
    return Path(shutil.copytree(_graded / "run", tmp_path / "run"))


def review(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["review", *map(str, arguments)])


def reviewed(*arguments: object) -> Result:
    done = review(*arguments)
    assert done.exit_code == 0, done.output
    return done


def type_into(source: Path, edits: Edits, *, to: Path | None = None, by: str = "Anna") -> Path:
    """Do what an expert does, and save as a program that writes formulas without values."""
    book = load_workbook(source)
    for (sheet, about, column), value in edits.items():
        row = row_of(book[sheet], about)
        book[sheet].cell(row, header(book[sheet]).index(column) + 1).value = value  # type: ignore[assignment]
    return save(book, to or source, by)


def save(book: Workbook, path: Path, by: str = "Anna") -> Path:
    book.properties.lastModifiedBy = by
    book.save(path)
    return path


def header(sheet: Worksheet) -> list[str]:
    return [str(cell.value) for cell in sheet[1]]


def row_of(sheet: Worksheet, about: str) -> int:
    names = header(sheet)
    for number, cells in enumerate(sheet.iter_rows(min_row=2, values_only=True), start=2):
        values = dict(zip(names, cells, strict=True))
        place = f" {values['Level']}/{values['No.']}" if "No." in values else ""
        if f"{values['ID']}{place}" == about:
            return number
    raise AssertionError(about)


def cell(path: Path, sheet: str, about: str, column: str) -> Any:
    found = load_workbook(path, data_only=True)[sheet]
    return found.cell(row_of(found, about), header(found).index(column) + 1).value


def events(run: Path) -> list[dict[str, Any]]:
    with sqlite3.connect(run / "run.db") as connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute("SELECT * FROM override ORDER BY id").fetchall()
    connection.close()
    return [dict(row) for row in rows]


def by_id(results: Results) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in results()}


SCORE, COMMENT = "Expert score", "Expert comment"


def test_what_an_expert_typed_counts_everywhere(run: Path, results: Results) -> None:
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75, ("Review", "1", COMMENT): "good"})
    done = reviewed(run / "graded.xlsx")
    assert "graded.xlsx, entries of Anna: 1 score, 1 comment" in done.stdout
    assert done.stdout.split("apollo")[1].split()[:2] == ["33.33", "41.67"]
    row = by_id(results)["1"]
    assert (row["score"], row["expert_score"], row["expert_comment"], row["final_score"]) == (50, 75, "good", 75)
    assert [(each["reviewer"], each["score"]) for each in row["experts"]] == [("Anna", 75)]
    other = by_id(results)["2"]
    assert (other["expert_score"], other["expert_comment"], other["final_score"], other["experts"]) == (
        None,
        "",
        50,
        [],
    )
    summary = json.loads((run / "summary.json").read_text("utf-8"))
    final = summary["systems"][0]["final"]
    assert (final["n"], round(final["mean"], 2), final["reviewed"], final["changed"]) == (3, 41.67, 1, 1)
    assert len(final["interval"]) == 2
    assert summary["reviewed"]["reviewers"] == ["Anna"]
    assert json.loads((run / "agreement.json").read_text("utf-8"))
    workbook = run / "graded.xlsx"
    assert (cell(workbook, "Review", "1", SCORE), cell(workbook, "Review", "1", COMMENT)) == (75, "good")
    assert json.loads(cell(workbook, "Review", "1", "Entered before")) == [75, "good"]
    event = events(run)[0]
    assert (event["reviewer"], event["score"], event["comment"]) == ("Anna", 75, "good")
    assert json.loads(event["source"])["sheet"] == "Review" and event["entered"].endswith("Z")


def test_a_second_review_finds_nothing_new_and_writes_the_same(run: Path) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "anna.xlsx")
    type_into(run / "graded.xlsx", {("Verdicts", "3 100/1", "Expert verdict"): "met"}, by="Bob")
    reviewed(run / "graded.xlsx", copy)
    before = [(run / name).read_bytes() for name in FILES]
    done = reviewed(run / "graded.xlsx", copy)
    assert done.stdout.count("nothing new") == 2
    assert len(events(run)) == 2
    assert [(run / name).read_bytes() for name in FILES] == before


def test_several_experts_copies(run: Path, results: Results) -> None:
    anna = type_into(
        run / "graded.xlsx", {("Review", "1", SCORE): 100, ("Review", "1", COMMENT): "yes"}, to=run / "a.xlsx"
    )
    bob = type_into(
        run / "graded.xlsx",
        {("Review", "1", SCORE): 25, ("Review", "1", COMMENT): "no", ("Blind", "3", SCORE): 25},
        to=run / "b.xlsx",
        by="Bob",
    )
    before = anna.read_bytes(), bob.read_bytes()
    reviewed(bob, anna)
    assert (anna.read_bytes(), bob.read_bytes()) == before
    row = by_id(results)["1"]
    assert (row["expert_score"], row["final_score"], row["needs_review"]) == (62.5, 62.5, True)
    assert row["expert_comment"] == "Anna: yes\nBob: no"
    assert cell(run / "graded.xlsx", "Review", "1", "Needs review") == "experts differ"
    # Of the one workbook with both, Anna takes her score back and Bob's stays.
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): None})
    done = reviewed(run / "graded.xlsx")
    assert "1 taken back" in done.stdout
    assert by_id(results)["1"]["expert_score"] == 25
    # Somebody who had entered nothing takes nothing back.
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): None, ("Review", "1", COMMENT): None}, by="Cem")
    done = reviewed(run / "graded.xlsx", "--reviewer", "Cem")  # as the file was saved in the same second
    assert "which stays" in done.stderr
    assert by_id(results)["1"]["expert_score"] == 25
    assert len([each for each in events(run) if each["reviewer"] == "Cem"]) == 0


def test_a_changed_comment_is_the_part_that_is_ones_own(run: Path, results: Results) -> None:
    for name in ("Anna", "Bob"):
        type_into(run / "graded.xlsx", {("Review", "1", COMMENT): name.lower()}, to=run / f"{name}.xlsx", by=name)
    reviewed(run / "Anna.xlsx", run / "Bob.xlsx")
    type_into(run / "graded.xlsx", {("Review", "1", COMMENT): "Anna: anna\nBob: bob, on reflection"}, by="Bob")
    reviewed(run / "graded.xlsx")
    assert by_id(results)["1"]["expert_comment"] == "Anna: anna\nBob: bob, on reflection"
    assert events(run)[-1]["comment"] == "bob, on reflection"


def test_verdicts_on_criteria_make_the_score(run: Path, results: Results) -> None:
    type_into(
        run / "graded.xlsx",
        {("Verdicts", "3 100/1", "Expert verdict"): "Yes", ("Verdicts", "3 100/1", COMMENT): "it is"},
    )
    assert "1 verdict on a criterion, 1 comment" in reviewed(run / "graded.xlsx").stdout
    row = by_id(results)["3"]
    assert (row["score"], row["expert_score"], row["final_score"]) == (0, None, 100)
    assert (row["items"][0]["met"], row["items"][0]["expert_met"], row["items"][0]["final_met"]) == (False, True, True)


def test_blind_entries_show_the_judges_score(run: Path, results: Results) -> None:
    about = load_workbook(run / "graded.xlsx")["Blind"]
    item_id = str(about.cell(2, header(about).index("ID") + 1).value)
    type_into(run / "graded.xlsx", {("Blind", item_id, SCORE): "25"})
    assert "1 blind score" in reviewed(run / "graded.xlsx").stdout
    row = by_id(results)[item_id]
    assert (row["expert_score"], row["experts"][0]["blind"]) == (25, True)


def test_numbers_are_read_as_they_are_typed(run: Path, results: Results) -> None:
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): "3,5", ("Review", "2", SCORE): "７５"})
    reviewed(run / "graded.xlsx")
    assert [by_id(results)[each]["expert_score"] for each in "12"] == [3.5, 75]


def test_every_bad_cell_is_named_and_nothing_is_stored(run: Path) -> None:
    before = {name: (run / name).read_bytes() for name in ("results.jsonl", "graded.xlsx")}
    copy = type_into(
        run / "graded.xlsx",
        {
            ("Review", "1", SCORE): 175,
            ("Review", "2", SCORE): "fifty",
            ("Review", "3", SCORE): "=40+10",
            ("Verdicts", "1 25/1", "Expert verdict"): "maybe",
            ("Blind", "3", COMMENT): "fine",
        },
        to=run / "anna.xlsx",
    )
    done = review(copy)
    assert done.exit_code == 2
    for words in (
        "4 cells cannot be read, so nothing was stored",
        "175 is not on the scale 0 to 100",
        "“fifty” is not one plain number",
        "has no stored result",
        "“maybe” is no verdict",
    ):
        assert words in done.stderr, words
    column = header(load_workbook(copy)["Review"]).index(SCORE)
    assert f"anna.xlsx [Review!{chr(65 + column)}2]" in done.stderr
    assert events(run) == []
    assert {name: (run / name).read_bytes() for name in before} == before


def test_a_score_shown_as_a_percentage_is_asked_about(run: Path) -> None:
    book = load_workbook(run / "graded.xlsx")
    sheet = book["Review"]
    found = sheet.cell(row_of(sheet, "1"), header(sheet).index(SCORE) + 1)
    found.value, found.number_format = 0.5, "0%"
    save(book, run / "graded.xlsx")
    done = review(run / "graded.xlsx")
    assert done.exit_code == 2 and "percentage" in done.stderr
    found.number_format = "General"
    save(book, run / "graded.xlsx")
    reviewed(run / "graded.xlsx")


def test_a_cell_emptied_again_in_the_same_copy(run: Path, results: Results) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "anna.xlsx")
    other = type_into(run / "graded.xlsx", {("Review", "2", SCORE): 25}, to=run / "other.xlsx")
    reviewed(copy)
    reviewed(other)  # in which the cell was never filled
    assert by_id(results)["1"]["expert_score"] == 75
    type_into(copy, {("Review", "1", SCORE): None})
    assert "1 taken back" in reviewed(copy).stdout
    assert [by_id(results)[each]["expert_score"] for each in "12"] == [None, 25]


def test_entries_for_texts_that_have_changed_are_kept_and_do_not_count(
    run: Path, grade: Grade, criteria_path: Path, results: Results
) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75, ("Review", "2", SCORE): 25}, to=run / "a.xlsx")
    book = load_workbook(criteria_path)
    book["Criteria"]["B2"] = "(1) mention the sun"
    book.save(criteria_path)
    assert grade("--rubric", "tiered-items", "--blind", "1").exit_code == 0
    done = reviewed(copy)
    assert "1 entry made for texts that have changed since" in done.stderr and "a.xlsx [Review!" in done.stderr
    row = by_id(results)["1"]
    assert (row["expert_score"], row["final_score"], row["experts"][0]["stale"]) == (None, row["score"], True)
    assert by_id(results)["2"]["final_score"] == 25
    assert "75" in cell(run / "graded.xlsx", "Review", "1", "Stale entry")
    assert "nothing new" in reviewed(copy).stdout


def test_judges_cells_changed_by_hand_are_told(run: Path, results: Results) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", "Judge score"): 100}, to=run / "a.xlsx")
    type_into(copy, {("Verdicts", "1 25/1", "Judge verdict"): "not met"})
    done = reviewed(copy)
    assert "the judge's cells were changed by hand in 2 rows" in done.stderr
    assert by_id(results)["1"]["final_score"] == 50


def test_unchanged_judges_cells_are_not_told(run: Path) -> None:
    assert "by hand" not in reviewed(type_into(run / "graded.xlsx", {}, to=run / "a.xlsx")).stderr


def test_a_copied_row_must_say_the_same(run: Path, results: Results) -> None:
    book = load_workbook(run / "graded.xlsx")
    sheet = book["Review"]
    sheet.append([each.value for each in sheet[row_of(sheet, "1")]])
    save(book, run / "a.xlsx")
    reviewed(run / "a.xlsx")
    sheet.cell(sheet.max_row, header(sheet).index(SCORE) + 1).value = 75
    save(book, run / "a.xlsx")
    done = review(run / "a.xlsx")
    assert done.exit_code == 2 and "this row is a copy of the one at Review!" in done.stderr


def test_rows_of_another_run_are_kept_and_do_not_count(run: Path, results: Results) -> None:
    book = load_workbook(run / "graded.xlsx")
    sheet = book["Review"]
    from grader.outputs.graded_workbook.keys import item_key

    for number, key in ((2, item_key("apollo", "99", 1)), (3, "nobody knows")):
        values = dict.fromkeys(header(sheet), None) | {"Key": key, "Text hash": "h", "ID": "99", "System": "apollo"}
        sheet.append(list({**values, SCORE: 25.0 * number}.values()))
    save(book, run / "a.xlsx")
    done = review(run / "a.xlsx")
    assert done.exit_code == 2
    assert "a score stands in a row whose hidden key is gone, and what it shows is no answer of the run" in done.stderr
    sheet.delete_rows(sheet.max_row)
    save(book, run / "a.xlsx")
    done = reviewed(run / "a.xlsx")
    assert "1 entry about rows that this run does not have: stored" in done.stderr
    assert [each["item_id"] for each in events(run)] == ["99"]
    assert {row["final_score"] for row in results()} == {50, 0}


def test_a_workbook_of_another_run_is_told(run: Path, grade: Grade, tmp_path: Path) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=tmp_path / "a.xlsx")
    assert grade("--rubric", "tiered-items", "--blind", "1", "--fresh").exit_code == 0
    done = reviewed(copy, "--run", run)
    assert "says that it is of another run" in done.stderr
    assert len(events(run)) == 1


def test_grading_and_rescoring_again_keep_what_experts_entered(run: Path, grade: Grade, results: Results) -> None:
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75})
    reviewed(run / "graded.xlsx")
    assert grade("--rubric", "tiered-items", "--blind", "1").exit_code == 0
    assert by_id(results)["1"]["final_score"] == 75
    assert CliRunner().invoke(cli, ["rescore", str(run)]).exit_code == 0
    assert by_id(results)["1"]["final_score"] == 75
    assert cell(run / "graded.xlsx", "Review", "1", SCORE) == 75


def test_a_fresh_start_keeps_the_entries(run: Path, grade: Grade, results: Results) -> None:
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75})
    reviewed(run / "graded.xlsx", "--reviewer", "Ann")
    (run / "graded.xlsx").unlink()
    done = grade("--rubric", "tiered-items", "--blind", "1", "--fresh")
    assert "an entry of an expert was kept from before the fresh start" in done.stderr
    assert by_id(results)["1"]["final_score"] == 75
    assert cell(run / "graded.xlsx", "Review", "1", SCORE) == 75
    assert [each["reviewer"] for each in events(run)] == ["Ann"]
    assert "nothing new" in reviewed(run / "graded.xlsx").stdout


def test_what_is_typed_and_not_reviewed_stays(run: Path, results: Results) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "a.xlsx")
    type_into(run / "graded.xlsx", {("Review", "2", SCORE): 25}, by="Bob")
    reviewed(copy)
    assert (cell(run / "graded.xlsx", "Review", "1", SCORE), cell(run / "graded.xlsx", "Review", "2", SCORE)) == (
        75,
        25,
    )
    assert by_id(results)["2"]["final_score"] == 50
    reviewed(run / "graded.xlsx", "--reviewer", "Bob")
    assert by_id(results)["2"]["final_score"] == 25
    assert [each["reviewer"] for each in events(run)] == ["Anna", "Bob"]


def test_a_stop_between_store_and_files_is_made_good(run: Path, results: Results, monkeypatch: Any) -> None:
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75})
    with monkeypatch.context() as patched:
        patched.setattr("grader.pipeline.write_outputs", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        assert review(run / "graded.xlsx").exit_code != 0
    assert len(events(run)) == 1 and by_id(results)["1"]["final_score"] == 50
    assert "nothing new" in reviewed(run / "graded.xlsx").stdout
    assert len(events(run)) == 1 and by_id(results)["1"]["final_score"] == 75


def test_a_dry_run_and_quiet(run: Path) -> None:
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75})
    before = [(run / name).read_bytes() for name in ("results.jsonl", "graded.xlsx")]
    assert "41.67" in reviewed(run / "graded.xlsx", "--dry-run").stdout
    assert [(run / name).read_bytes() for name in ("results.jsonl", "graded.xlsx")] == before
    assert events(run) == []
    assert reviewed(run / "graded.xlsx", "--quiet").output == ""
    assert len(events(run)) == 1


def test_another_place_for_the_workbook(run: Path, tmp_path: Path) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "a.xlsx")
    before = (run / "graded.xlsx").read_bytes()
    reviewed(copy, "--out", tmp_path / "new" / "final.xlsx")
    assert cell(tmp_path / "new" / "final.xlsx", "Review", "1", SCORE) == 75
    assert (run / "graded.xlsx").read_bytes() == before


def test_the_environment_sets_options(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75})
    monkeypatch.setenv("GRADER_REVIEW_REVIEWER", "Dora Doe")
    reviewed(run / "graded.xlsx")
    assert events(run)[0]["reviewer"] == "Dora Doe"


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [(b"PK\x03\x04", 2, "damaged"), (b"", 2, "empty"), (b"id,score\n1,5\n", 2, "not a workbook of the kind .xlsx")],
)
def test_what_is_no_graded_workbook(run: Path, content: bytes, code: int, words: str) -> None:
    (run / "x.xlsx").write_bytes(content)
    done = review(run / "x.xlsx")
    assert done.exit_code == code and words in done.stderr


def test_a_workbook_without_our_sheets(run: Path, criteria_path: Path) -> None:
    done = review(criteria_path, "--run", run)
    assert done.exit_code == 2 and "no sheet Review" in done.stderr


def test_columns_that_are_gone(run: Path) -> None:
    book = load_workbook(run / "graded.xlsx")
    book["Review"].cell(1, header(book["Review"]).index(SCORE) + 1).value = "My score"
    done = review(save(book, run / "a.xlsx"))
    assert done.exit_code == 2 and "the column “Expert score” is not there any more" in done.stderr


def test_no_run(run: Path, tmp_path: Path) -> None:
    copy = type_into(run / "graded.xlsx", {}, to=tmp_path / "a.xlsx")
    done = review(copy)
    assert done.exit_code == 1 and "--run DIR" in done.stderr
    assert review(copy, "--run", run).exit_code == 0


def test_who_reviewed(run: Path, tmp_path: Path) -> None:
    copies = [run / "anna.xlsx", run / "bob.xlsx"]
    for copy in copies:
        type_into(run / "graded.xlsx", {("Review", "1", SCORE): 25}, to=copy, by="Office")
    done = reviewed(*copies)
    assert "entries of anna" in done.stdout and "entries of bob" in done.stdout
    assert "entries of anna: nothing new" in reviewed(copies[0]).stdout  # though alone it would be Office's
    assert review(*copies, "--reviewer", "Anna").exit_code == 2
    assert review(copies[0], copies[0]).exit_code == 2
    assert review(copies[0], "--reviewer", "judge").exit_code == 2
    (tmp_path / "other").mkdir()
    shutil.copy(copies[0], tmp_path / "other" / "anna.xlsx")
    type_into(tmp_path / "other" / "anna.xlsx", {}, by="openpyxl")
    type_into(copies[0], {}, by="openpyxl")
    done = review(copies[0], tmp_path / "other" / "anna.xlsx")
    assert done.exit_code == 2 and "--reviewer" in done.stderr


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
def test_sorted_filtered_and_saved_by_libreoffice(run: Path, tmp_path: Path, results: Results) -> None:
    type_into(
        run / "graded.xlsx",
        {
            ("Review", "1", SCORE): "66,7",
            ("Review", "2", COMMENT): "=4",
            ("Review", "3", COMMENT): "two\nlines",
            ("Review", "3", SCORE): "=50+25",
            ("Verdicts", "2 100/1", "Expert verdict"): "met",
        },
        to=tmp_path / "anna.xlsx",
    )
    book = load_workbook(tmp_path / "anna.xlsx")
    sheet = book["Review"]
    rows = [[each.value for each in row] for row in sheet.iter_rows(min_row=2)]
    for number, values in enumerate(reversed(rows), start=2):
        for column, value in enumerate(values, start=1):
            sheet.cell(number, column).value = value
    sheet.tables.clear()
    sheet.auto_filter.ref = sheet.dimensions
    sheet.row_dimensions[3].hidden = True
    sheet.title = "Meine Bewertung"
    save(book, tmp_path / "anna.xlsx")
    profile = (tmp_path / "profile").as_uri()
    command = [str(SOFFICE), f"-env:UserInstallation={profile}", "--headless", "--convert-to", "xlsx"]
    subprocess.run(
        [*command, "--outdir", str(tmp_path / "saved"), str(tmp_path / "anna.xlsx")],
        check=True,
        capture_output=True,
        timeout=120,
        env={**os.environ, "SAL_USE_VCLPLUGIN": "svp"},
    )
    done = reviewed(tmp_path / "saved" / "anna.xlsx", "--run", run, "--reviewer", "Anna")
    assert "2 scores, 1 verdict on a criterion, 2 comments" in done.stdout
    assert "by hand" not in done.stderr
    found = by_id(results)
    assert (found["1"]["final_score"], found["2"]["final_score"], found["3"]["final_score"]) == (66.7, 100, 75)
    assert found["3"]["expert_comment"] == "two\nlines"
    # The updated workbook, saved by LibreOffice without a change, says nothing new.
    subprocess.run(
        [*command, "--outdir", str(tmp_path / "again"), str(run / "graded.xlsx")],
        check=True,
        capture_output=True,
        timeout=120,
    )
    done = reviewed(tmp_path / "again" / "graded.xlsx", "--run", run, "--reviewer", "Bob")
    assert "entries of Bob: nothing new" in done.stdout and "by hand" not in done.stderr


def test_what_is_typed_elsewhere_in_a_copy_is_told_and_left(run: Path, results: Results) -> None:
    book = load_workbook(run / "graded.xlsx")
    sheet = book["Review"]
    final = sheet.cell(row_of(sheet, "1"), header(sheet).index("Final") + 1)
    final.value = 100
    beside = sheet.cell(3, sheet.max_column + 2, "see page 4")
    below = sheet.cell(sheet.max_row + 3, header(sheet).index("ID") + 1, "checked")
    criteria = next(each for each in book.worksheets if each.title not in ("Review", "Verdicts", "Blind"))
    criteria.cell(1, 30, "note")
    save(book, run / "a.xlsx")
    before = (run / "a.xlsx").read_bytes()
    done = reviewed(run / "a.xlsx")
    for place in (f"Review!{final.coordinate}", f"Review!{beside.coordinate}", f"Review!{below.coordinate}"):
        assert place in done.stderr, place
    assert "cells on the expert's own sheets in it were changed or added" in done.stderr
    assert (run / "a.xlsx").read_bytes() == before and by_id(results)["1"]["final_score"] == 50


def test_nothing_is_told_of_a_copy_with_entries_alone(run: Path) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75, ("Blind", "3", COMMENT): "x"}, to=run / "a.xlsx")
    assert "is left as it is" not in reviewed(copy).stderr


def test_rows_without_their_hidden_cells(run: Path, results: Results) -> None:
    edits = {("Review", "1", SCORE): 75, ("Review", "1", "Key"): None, ("Review", "2", SCORE): 25}
    copy = type_into(run / "graded.xlsx", {**edits, ("Review", "2", "Text hash"): None}, to=run / "a.xlsx")
    done = reviewed(copy)
    assert "1 entry in rows whose hidden key is gone: taken for" in done.stderr
    assert "1 entry in rows whose hidden text hash is gone" in done.stderr
    assert [by_id(results)[each]["final_score"] for each in "12"] == [75, 25]


def test_an_entry_below_the_table_is_named(run: Path) -> None:
    book = load_workbook(run / "graded.xlsx")
    sheet = book["Review"]
    cell = sheet.cell(sheet.max_row + 2, header(sheet).index(SCORE) + 1, 75)
    done = review(save(book, run / "a.xlsx"))
    assert done.exit_code == 2 and f"Review!{cell.coordinate}]: a score stands in a row whose hidden key" in done.stderr
    assert events(run) == []


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["Key", "Text hash"], "the hidden columns “Key” and “Text hash” are not there any more"),
        (["Key"], ""),
        (["Text hash"], ""),
    ],
)
def test_hidden_columns_that_are_gone(run: Path, results: Results, columns: list[str], words: str) -> None:
    book = load_workbook(type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "a.xlsx"))
    for name in columns:
        column = header(book["Review"]).index(name) + 1
        for (found,) in book["Review"].iter_rows(min_col=column, max_col=column):
            found.value = None
    for name in ("Verdicts", "Blind"):
        del book[name]
    done = review(save(book, run / "a.xlsx"))
    assert done.exit_code == (2 if words else 0), done.stderr
    assert words in done.stderr and (words or by_id(results)["1"]["final_score"] == 75)


def test_a_header_that_is_gone(run: Path) -> None:
    book = load_workbook(type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "a.xlsx"))
    book["Review"].delete_rows(1)
    done = review(save(book, run / "a.xlsx"))
    assert done.exit_code == 2 and "the row with the names of the columns is gone" in done.stderr


def test_a_sheet_that_is_gone_is_told(run: Path) -> None:
    book = load_workbook(run / "graded.xlsx")
    del book["Verdicts"]
    done = reviewed(save(book, run / "a.xlsx"))
    assert "a.xlsx: the sheet Verdicts that was there is gone" in done.stderr
    assert "sheet Blind" not in done.stderr
    for name in ("Review", "Blind"):
        del book[name]
    done = review(save(book, run / "a.xlsx"))
    assert done.exit_code == 2 and "it was there, and has been deleted" in done.stderr


def test_review_is_never_read_as_blind(run: Path, results: Results) -> None:
    book = load_workbook(type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "a.xlsx"))
    book["Review"].cell(1, header(book["Review"]).index("Judge score") + 1).value = "KI-Note"
    reviewed(save(book, run / "a.xlsx"))
    assert [each["blind"] for each in by_id(results)["1"]["experts"]] == [False]


def test_what_is_entered_on_blind_after_the_unveiling_is_not_blind(run: Path, results: Results) -> None:
    about = load_workbook(run / "graded.xlsx")["Blind"]
    item_id = str(about.cell(2, header(about).index("ID") + 1).value)
    second = type_into(run / "graded.xlsx", {("Blind", item_id, SCORE): 100}, to=run / "cem.xlsx", by="Cem")
    type_into(run / "graded.xlsx", {("Blind", item_id, SCORE): 25})
    reviewed(run / "graded.xlsx")
    assert cell(run / "graded.xlsx", "Blind", item_id, "Judge shown") == "yes"
    late = type_into(run / "graded.xlsx", {("Blind", item_id, SCORE): 75}, to=run / "bob.xlsx", by="Bob")
    done = reviewed(late, second)
    assert "1 entry on Blind, in a workbook that shows the judge's score already" in done.stderr
    assert {each["reviewer"]: each["blind"] for each in by_id(results)[item_id]["experts"]} == {
        "Anna": True,
        "Bob": False,
        "Cem": True,
    }
    assert round(by_id(results)[item_id]["final_score"], 2) == 66.67


def test_one_expert_in_two_workbooks_and_spellings(run: Path, results: Results) -> None:
    one = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "x.xlsx")
    two = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 0}, to=run / "y.xlsx")
    done = reviewed(one, two, "--reviewer", "Anna", "--reviewer", "anna")
    assert "“anna” is taken for the reviewer “Anna”" in done.stderr
    assert "Anna says two things: 75 in x.xlsx" in done.stderr
    assert by_id(results)["1"]["final_score"] == 0


def test_experts_who_are_evenly_split_on_a_criterion(run: Path, results: Results) -> None:
    place = ("Verdicts", "1 25/1", "Expert verdict")
    copies = [
        type_into(run / "graded.xlsx", {place: word}, to=run / f"{by}.xlsx", by=by)
        for by, word in (("Anna", "met"), ("Bob", "not met"))
    ]
    done = reviewed(*copies)
    assert "a criterion is met for as many experts as not: the judge's verdict counts there" in done.stderr
    assert cell(run / "graded.xlsx", "Review", "1", "Needs review") == "experts differ"


def test_a_comment_that_was_cut_is_nobody_elses(run: Path, results: Results) -> None:
    for by, letter in (("Anna", "a"), ("Bob", "b")):
        type_into(run / "graded.xlsx", {("Review", "1", COMMENT): letter * 30_000}, to=run / f"{by}.xlsx", by=by)
    reviewed(run / "Anna.xlsx", run / "Bob.xlsx")
    assert "nothing new" in reviewed(run / "graded.xlsx", "--reviewer", "Cem").stdout
    assert len(by_id(results)["1"]["expert_comment"]) == 60_012


def test_interrupted_before_anything_is_stored(run: Path, monkeypatch: Any) -> None:
    type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75})
    stop = lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt)  # noqa: E731  # for one use
    with monkeypatch.context() as patched:
        patched.setattr("grader.review.reviewing.read_review", stop)
        done = review(run / "graded.xlsx")
    assert (done.exit_code, "Interrupted: nothing was stored" in done.stderr) == (130, True)
    with monkeypatch.context() as patched:
        patched.setattr("grader.pipeline.write_outputs", stop)
        done = review(run / "graded.xlsx")
    assert (done.exit_code, "Interrupted: the entries are stored; run" in done.stderr) == (130, True)
    assert "nothing new" in reviewed(run / "graded.xlsx").stdout


@pytest.mark.parametrize("name", ["results.jsonl", "run.db", "a.xlsx"])
def test_places_where_the_workbook_must_not_go(run: Path, name: str) -> None:
    copy = type_into(run / "graded.xlsx", {("Review", "1", SCORE): 75}, to=run / "a.xlsx")
    done = review(copy, "--out", run / name)
    assert done.exit_code == 2 and name in done.stderr
    assert events(run) == []
