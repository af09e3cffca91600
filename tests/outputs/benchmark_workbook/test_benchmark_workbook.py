from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from grader.benchmark_records import BenchmarkItem, BenchmarkRun, Combination, SkippedLine
from grader.errors import RunError
from grader.outputs.benchmark_workbook import write as write_module
from grader.outputs.benchmark_workbook.write import write_benchmark_workbook
from grader.records import CallTotals, CellRef

MakeItem = Callable[..., BenchmarkItem]
MakeRun = Callable[..., BenchmarkRun]

SOFFICE = shutil.which("soffice")
ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>"""


def rows(path: Path, sheet: str = "Items") -> list[dict[str, Any]]:
    """Return the rows of Items, by header."""
    cells = list(openpyxl.load_workbook(path, data_only=True)[sheet].iter_rows(values_only=True))
    return [dict(zip(map(str, cells[0]), row, strict=True)) for row in cells[1:]]


def matrix(path: Path) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the rows of Matrix by model, prompt and dataset."""
    cells = list(openpyxl.load_workbook(path, data_only=True)["Matrix"].iter_rows(values_only=True))
    header = next(number for number, row in enumerate(cells) if row[0] == "Worker model")
    found = {}
    for row in cells[header + 1 :]:
        if row[0] == "All":
            break
        found[row[:3]] = dict(zip(map(str, cells[header]), row, strict=True))
    return found


def enter(path: Path, entries: dict[int, dict[str, object]]) -> None:
    """Type into rows (from 2) of Items, as an expert would; formulas lose their values."""
    book = openpyxl.load_workbook(path)
    sheet: Worksheet = book["Items"]
    header = [cell.value for cell in sheet[1]]
    for row, values in entries.items():
        for name, value in values.items():
            sheet.cell(row, header.index(name) + 1).value = value  # type: ignore[assignment]
    book.save(path)


def recalculated(path: Path, tmp_path: Path) -> Path:
    """Open and save a workbook in LibreOffice, which computes every formula anew."""
    profile = tmp_path / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE)
    command = [str(SOFFICE), f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", "xlsx"]
    out = tmp_path / "computed"
    subprocess.run([*command, "--outdir", str(out), str(path)], check=True, capture_output=True, timeout=120)
    return out / path.name


def figures(path: Path) -> dict[str, object]:
    """Return all cells, empty text and nothing being the same."""
    book = openpyxl.load_workbook(path, data_only=True)
    cells = (cell for name in ("Matrix", "Items", "Weights") for row in book[name].iter_rows() for cell in row)
    return {
        f"{cell.parent.title}!{cell.coordinate}": round(float(cell.value), 7)
        if isinstance(cell.value, int | float)
        else str(cell.value)
        for cell in cells
        if cell.value not in (None, "")
    }


def test_the_sheets_and_what_the_run_gave(tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun) -> None:
    written = write_benchmark_workbook(tmp_path / "graded.xlsx", run_of(all_kinds))
    assert (written.path, written.notes) == (tmp_path / "graded.xlsx", ())
    book = openpyxl.load_workbook(written.path)
    assert book.sheetnames == ["Matrix", "Items", "Weights", "About"]
    assert list(book["Items"].tables) == ["tblItems"]
    for row, item in zip(rows(written.path), all_kinds, strict=True):
        assert (row["ID"], row["Status"], row["ESI"]) == (item.id, item.status, pytest.approx(item.esi))
        assert row["Alignment"] == row["Final alignment"] == item.sub_scores.alignment
        words = {100.0: "correct", 0.0: "not correct", None: None}
        assert row["Accuracy verdict"] == words[item.sub_scores.accuracy]
    assert {row["ESI"] for row in rows(written.path) if row["Safety"] == 0} == {0}


def test_the_matrix_counts_and_averages_completed_items_only(
    tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun
) -> None:
    path = write_benchmark_workbook(tmp_path / "graded.xlsx", run_of(all_kinds)).path
    row = matrix(path)["lab/alpha", "DIRECT", "L1"]
    completed = [item for item in all_kinds[:5] if item.esi is not None]
    assert (row["Items"], row["Completed"], row["Errors"]) == (5, 3, 2)
    assert row["ESI"] == pytest.approx(sum(item.esi or 0 for item in completed) / 3)
    assert row["ACC"] == pytest.approx(200 / 3)
    assert (row["All tokens"], row["Cost USD"]) == (990, "not known")
    texts = [str(cell.value) for cell in openpyxl.load_workbook(path, data_only=True)["Matrix"]["A"]]
    assert "INCOMPLETE: only 5 of 8 items have an ESI; all means are over these." in texts


def test_what_an_expert_enters_is_carried_over_and_counts(
    tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun
) -> None:
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run_of(all_kinds))
    enter(
        target,
        {
            2: {"Expert accuracy": "not correct", "Expert comment": "Wrong unit."},
            3: {"Expert accuracy": "Correct", "Expert integrity": "70,5"},
            5: {"Expert accuracy": "correct"},
            7: {"Expert integrity": 400},
            9: {"Expert accuracy": "maybe"},
        },
    )
    written = write_benchmark_workbook(target, run_of(all_kinds))
    assert written.notes == ("The expert's entries in 5 rows were carried over from the earlier workbook.",)
    found = rows(target)
    wrong, right, judged, off_scale, unclear = (found[place] for place in (0, 1, 3, 5, 7))
    assert (wrong["Final accuracy"], wrong["Final alignment"], wrong["Expert comment"]) == (0, 60, "Wrong unit.")
    assert wrong["ESI"] == pytest.approx(0.25 * 80 + 0.15 * (95 + 100 + 60))
    assert (right["Final accuracy"], right["Final integrity"], right["Final alignment"]) == (100, 70.5, 90)
    assert judged["ESI"] == pytest.approx(0.30 * 100 + 0.25 * 80 + 0.15 * (95 + 100 + 100))
    assert (off_scale["Expert integrity"], off_scale["ESI"]) == ("400", None)
    assert (unclear["Final accuracy"], unclear["ESI"]) == (None, None)
    assert matrix(target)["lab/alpha", "DIRECT", "L1"]["Expert entries"] == 3


def test_entries_without_their_item_keep_the_earlier_workbook(
    tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun
) -> None:
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run_of(all_kinds))
    enter(target, {2: {"Expert accuracy": "not correct"}})
    changed = [replace(all_kinds[0], cleaned_answer="Another answer."), *all_kinds[1:]]
    written = write_benchmark_workbook(target, run_of(changed))
    assert written.path == tmp_path / "graded (2).xlsx"
    assert "1 of the expert's entries belong" in written.notes[0]
    assert rows(target)[0]["Expert accuracy"] == "not correct"
    assert rows(written.path)[0]["Expert accuracy"] is None


@pytest.mark.parametrize("how", ["damaged", "no sheet", "no column", "one cell far away"])
def test_a_file_that_cannot_be_understood_is_kept(
    how: str, tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun
) -> None:
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run_of(all_kinds))
    if how == "damaged":
        target.write_bytes(b"PK not a workbook")
    else:
        book = openpyxl.load_workbook(target)
        if how == "no sheet":
            del book["Items"]
        elif how == "no column":
            book["Items"].delete_cols(1)
        else:
            book["Items"]["XFD1048576"] = "x"
        book.save(target)
    before = target.read_bytes()
    written = write_benchmark_workbook(target, run_of(all_kinds))
    assert written.path.name == "graded (2).xlsx"
    assert written.notes[0].startswith("graded.xlsx was kept, because it")
    assert target.read_bytes() == before


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
def test_the_values_written_are_those_that_libreoffice_computes(
    tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun
) -> None:
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run_of(all_kinds))
    enter(
        target,
        {
            2: {"Expert accuracy": "not correct", "Expert integrity": 12.5},
            3: {"Expert accuracy": "correct"},
            4: {"Expert integrity": 10},
            5: {"Expert accuracy": "not correct"},
            6: {"Expert accuracy": "correct"},
            7: {"Expert integrity": "much"},
            8: {"Expert integrity": 99},
            9: {"Expert accuracy": "perhaps"},
        },
    )
    computed = figures(recalculated(target, tmp_path))
    written = figures(write_benchmark_workbook(target, run_of(all_kinds)).path)
    assert written == computed
    assert len([key for key in written if key.startswith("Items!")]) > 100


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
def test_the_esi_follows_the_weights(tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun) -> None:
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run_of(all_kinds))
    book = openpyxl.load_workbook(target)
    for row, weight in enumerate((1, 3, 0, 0, 0), start=5):
        book["Weights"].cell(row, 2).value = weight
    book.save(target)
    path = recalculated(target, tmp_path)
    assert rows(path)[0]["ESI"] == pytest.approx((100 + 3 * 80) / 4)
    assert rows(path)[2]["ESI"] == 0
    assert matrix(path)["beta*", "COT", "L1"]["ESI"] == pytest.approx(((3 * 35.5) / 4 + (100 + 3 * 80) / 4) / 2)


def test_text_is_always_text(tmp_path: Path, item: MakeItem, run_of: MakeRun) -> None:
    texts = ["=1+1", "https://example.org", "0012", "<r><t>x</t></r>", "a\x07b", "\ud83d", "{=A1}"]
    items = [item(str(number), answer=text) for number, text in enumerate(texts)]
    path = write_benchmark_workbook(tmp_path / "graded.xlsx", run_of(items)).path
    sheet = openpyxl.load_workbook(path)["Items"]
    column = [cell.value for cell in sheet[1]].index("Answer") + 1
    cells = [sheet.cell(row, column) for row in range(2, 9)]
    assert {cell.data_type for cell in cells} == {"s"}
    assert [cell.value for cell in cells][:5] == [*texts[:4], "a␇b"]


def test_long_text_is_cut_where_a_reader_can_see_it(tmp_path: Path, item: MakeItem, run_of: MakeRun) -> None:
    written = write_benchmark_workbook(tmp_path / "graded.xlsx", run_of([item("1", answer="x" * 40_000)]))
    answer = rows(written.path)[0]["Answer"]
    assert len(answer) == 32_767
    assert answer.endswith("[cut here: 40,000 characters in all, the whole text is in the ESI_Result files]")
    assert written.notes == ("1 cell had more text than a cell can hold; the whole text is in the ESI_Result files.",)


def test_columns_that_no_item_needs_are_left_out(tmp_path: Path, item: MakeItem, run_of: MakeRun) -> None:
    path = write_benchmark_workbook(tmp_path / "graded.xlsx", run_of([item("1", reference="")])).path
    assert {"Reference", "Scenario", "Remarks"}.isdisjoint(rows(path)[0])
    assert {"Question", "Instruction", "Cost USD"} <= rows(path)[0].keys()


def test_hidden_columns_and_drop_downs(tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun) -> None:
    path = write_benchmark_workbook(tmp_path / "graded.xlsx", run_of(all_kinds)).path
    sheet = openpyxl.load_workbook(path)["Items"]
    assert [sheet[f"{letter}1"].value for letter in "ABCD" if sheet.column_dimensions["A"].hidden] == [
        *("Key", "Text hash", "Combination", "Alignment if correct")
    ]
    assert len({sheet.cell(row, 1).value for row in range(2, 10)}) == 8
    lists = [rule for rule in sheet.data_validations.dataValidation if rule.type == "list"]
    assert [rule.formula1 for rule in lists] == ['"correct,not correct"']


def test_about_and_properties_say_what_was_run(tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun) -> None:
    line = SkippedLine(dataset="L1", source=CellRef(path="L1.jsonl", cell="line 4"), reason="no JSON")
    run = run_of(all_kinds, skipped=(line,), planned={all_kinds[0].combination: 7, all_kinds[5].combination: 3})
    run = replace(run, totals={all_kinds[0].combination: CallTotals(calls=2, attempts=3, cost_usd=0.5, unpriced=1)})
    path = write_benchmark_workbook(tmp_path / "graded.xlsx", run).path
    book: Any = openpyxl.load_workbook(path)
    about = {row[0]: str(row[1]) for row in book["About"].iter_rows(values_only=True)}
    assert about["Run"] == "run-1"
    assert about["COMPLETED"] == "5"
    assert about["Not finished"].startswith("2: ")
    assert about["Lines not read"] == "L1, line 4: no JSON"
    assert about["TOKEN_BUDGET_EFFICIENCY"] == "8000"
    assert about["settings.json"] == "ab" * 32
    assert "0.5000 USD and 1 calls at a price that is not known" in about["Calls"]
    texts = [str(cell.value) for cell in book["Matrix"]["A"]]
    assert any("Cost: of the calls whose price is known." in text for text in texts)
    assert {each.name: each.value for each in book.custom_doc_props.props}["grader Run"] == "run-1"


def test_a_baseline_says_so_first(tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun) -> None:
    path = write_benchmark_workbook(tmp_path / "graded.xlsx", run_of(all_kinds, is_baseline=True)).path
    assert "TEXT-MATCHING BASELINE, NO LLM" in str(openpyxl.load_workbook(path)["Matrix"]["A3"].value)


def test_a_large_run_is_streamed_with_the_same_content(
    tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(all_kinds)
    whole = write_benchmark_workbook(tmp_path / "whole.xlsx", run).path
    monkeypatch.setattr(write_module, "MOST_ROWS_IN_COPY", 3)
    streamed = write_benchmark_workbook(tmp_path / "streamed.xlsx", run).path
    assert figures(streamed) == figures(whole)
    assert not openpyxl.load_workbook(streamed)["Items"].tables


def test_more_items_than_a_sheet_holds(
    tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_module, "_MOST_ROWS", 3)
    with pytest.raises(RunError, match="8 items do not fit"):
        write_benchmark_workbook(tmp_path / "graded.xlsx", run_of(all_kinds))


def test_a_damaged_result_is_refused(
    tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_module, "check_alone", lambda path: ["a part is missing"])
    with pytest.raises(RunError, match="a part is missing"):
        write_benchmark_workbook(tmp_path / "graded.xlsx", run_of(all_kinds))
    assert not list(tmp_path.iterdir())


def test_a_workbook_that_is_open_is_not_replaced(
    tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun
) -> None:
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run_of(all_kinds))
    (tmp_path / "~$graded.xlsx").touch()
    written = write_benchmark_workbook(target, run_of(all_kinds))
    assert written.path.name == "graded (2).xlsx"
    assert "is open in another program" in written.notes[0]


@pytest.mark.parametrize(("models", "kind"), [(2, b'<c:barDir val="col"/>'), (18, b'<c:barDir val="bar"/>')])
def test_the_chart_has_a_bar_for_each_combination(
    models: int, kind: bytes, tmp_path: Path, item: MakeItem, run_of: MakeRun
) -> None:
    combinations = [
        Combination(dataset=dataset, model=f"m{number}", prompt_version="DIRECT")
        for dataset in ("L1", "L2")
        for number in range(models)
    ]
    items = [item("1", each, is_correct=each.dataset == "L1") for each in combinations[:-1]]
    path = write_benchmark_workbook(tmp_path / "graded.xlsx", run_of(items)).path
    with zipfile.ZipFile(path) as archive:
        chart = archive.read("xl/charts/chart1.xml")
    assert kind in chart
    assert chart.count(b"<c:ser>") == (models if models == 2 else 2)
    sheet = openpyxl.load_workbook(path, data_only=True)["Matrix"]
    (header,) = [row for row in sheet.iter_rows() if row[4].value == "All items"]
    first = [cell.value for cell in sheet[int(header[0].row or 0) + 1]][:5]
    assert first == ["m0", "DIRECT", pytest.approx(94.25), pytest.approx(58.25), pytest.approx(76.25)]


def test_an_alignment_of_the_users_own_stays_as_it_is(tmp_path: Path, item: MakeItem, run_of: MakeRun) -> None:
    own = item("1")
    own = replace(own, sub_scores=replace(own.sub_scores, alignment=42.0))
    run = run_of([own])
    run = replace(run, settings={**run.settings, "SUB_SCORES": {"alignment": "llm-alignment"}})
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run)
    enter(target, {2: {"Expert accuracy": "not correct"}})
    write_benchmark_workbook(target, run)
    assert (rows(target)[0]["Final accuracy"], rows(target)[0]["Final alignment"]) == (0, 42)


def test_weights_changed_by_hand_are_kept(tmp_path: Path, all_kinds: list[BenchmarkItem], run_of: MakeRun) -> None:
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run_of(all_kinds))
    enter(target, {2: {"Expert accuracy": "not correct"}})
    book = openpyxl.load_workbook(target)
    book["Weights"]["B6"].value = 0.5
    book.save(target)
    written = write_benchmark_workbook(target, run_of(all_kinds))
    assert written.notes[0] == (
        "graded.xlsx was kept, because its weights were changed by hand; the new workbook is graded (2).xlsx."
    )
    assert rows(written.path)[0]["Expert accuracy"] == "not correct"
    assert openpyxl.load_workbook(written.path)["Weights"]["B6"].value == 0.25
    book = openpyxl.load_workbook(target)
    del book["Weights"]
    book.save(target)
    assert write_benchmark_workbook(target, run_of(all_kinds)).path == target


def test_settings_that_name_variables_are_not_known(tmp_path: Path, item: MakeItem, run_of: MakeRun) -> None:
    run = run_of([item("1")])
    variables = {"WEIGHT_ACCURACY": "${WEIGHT}", "ALIGNMENT_INACCURATE_PENALTY": "${PENALTY}"}
    run = replace(run, settings={**run.settings, **variables})
    target = tmp_path / "graded.xlsx"
    write_benchmark_workbook(target, run)
    assert openpyxl.load_workbook(target)["Weights"]["B5"].value == 0.3
    enter(target, {2: {"Expert accuracy": "not correct"}})
    write_benchmark_workbook(target, run)
    assert (rows(target)[0]["Final accuracy"], rows(target)[0]["Final alignment"]) == (0, 100)
