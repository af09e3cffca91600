from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.inputs.criteria_workbook import read_criteria_workbook

Make = Callable[..., Path]
HEADER: Sequence[object] = ["id", 25, 50, 100]


def test_a_tiered_workbook(make_workbook: Make) -> None:
    path = make_workbook()
    table = read_criteria_workbook(path)
    assert (table.path, table.sheet, table.header_row, table.layout) == (str(path), "Sheet1", 1, "tiered")
    assert table.columns == {"id": "A", "25": "B", "50": "C", "100": "D"}
    assert [row.item_id for row in table.rows] == ["1", "2"]
    criteria = [(c.level, c.number, c.text, c.source and c.source.cell) for c in table.rows[0].criteria]
    assert criteria == [(25, 1, "a", "B2"), (25, 2, "b", "B2"), (100, 1, "c", "D2")]
    assert table.rows[1].source.cell == "A3"
    assert table.rows[0].answer is None
    assert table.notes == ()


def test_other_columns_become_fields(make_workbook: Make) -> None:
    header = ["ID", "Question", "Type", "Answer", "Gold", "My notes", 50.0, "100"]
    table = read_criteria_workbook(make_workbook([header, ["007", "Why?", "hard", "42", "41", None, "a", "b"]]))
    row = table.rows[0]
    assert (row.item_id, row.question, row.reference, row.answer) == ("007", "Why?", "41", "42")
    assert row.fields == {"group": "hard", "my_notes": ""}
    assert [c.level for c in row.criteria] == [50, 100]


def test_the_header_is_found_below_a_title(make_workbook: Make) -> None:
    rows = [["Fever rubric"], [None], [None, None, *HEADER], [None, None, "T1", None, "a"]]
    table = read_criteria_workbook(make_workbook(rows, merge=["A1:F1"]))
    assert table.header_row == 3
    assert table.rows[0].source.cell == "C4"


def test_a_header_merged_over_two_rows_is_one(make_workbook: Make) -> None:
    rows = [["id", "Levels"], [None, 25, 50], ["T1", "a", "b"]]
    table = read_criteria_workbook(make_workbook(rows, merge=["A1:A2", "B1:C1"]))
    assert table.header_row == 2


def test_a_header_in_two_rows_is_diagnosed(make_workbook: Make) -> None:
    rows = [["id", "Levels"], [None, 25, 50], ["T1", "a", "b"]]
    with pytest.raises(InputError, match="two rows: the id in row 1, the levels in row 2"):
        read_criteria_workbook(make_workbook(rows))


def test_the_first_sheet_with_criteria_is_read_and_said(make_workbook: Make) -> None:
    sheets = {"About": [["hello"]], "Draft": [HEADER, [1, "x"]], "Rows": [HEADER, [1, "a"]], "More": [["x"]]}
    path = make_workbook(sheets, hide_sheets=["Draft"])
    table = read_criteria_workbook(path)
    assert table.sheet == "Rows"
    assert table.notes == (f"{path}: sheet 'Rows' is read; there are also 'About', 'More' (--sheet NAME)",)
    assert read_criteria_workbook(path, sheet="draft").sheet == "Draft"


def test_an_unknown_sheet_is_answered_with_the_sheets_there_are(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="no sheet 'Sheeet1'; there are 'Sheet1'") as caught:
        read_criteria_workbook(make_workbook(), sheet="Sheeet1")
    assert caught.value.hint == 'Say --sheet "Sheet1"'


def test_hidden_rows_are_graded_and_said(make_workbook: Make) -> None:
    table = read_criteria_workbook(make_workbook(hide_rows=[3]))
    assert len(table.rows) == 2
    assert table.notes[0].endswith("[Sheet1]: hidden or filtered out, and used all the same: row 3")


def test_merged_ids_are_filled_down(make_workbook: Make) -> None:
    rows = [HEADER, ["Q1", "a", "(1) b", "d"], [None, "c", None, None], ["Q2", "e"]]
    table = read_criteria_workbook(make_workbook(rows, merge=["A2:A3", "D2:D4"]))
    assert [row.item_id for row in table.rows] == ["Q1", "Q2"]
    first = [(c.level, c.number, c.text) for c in table.rows[0].criteria]
    assert first == [(25, 1, "a"), (25, 2, "c"), (50, 1, "b"), (100, 1, "d")]
    assert [(c.level, c.text) for c in table.rows[1].criteria] == [(25, "e"), (100, "d")]
    assert any(note.endswith("ids filled down from merged cells: row 3") for note in table.notes)


def test_a_long_list_of_rows_is_cut(make_workbook: Make) -> None:
    rows = [HEADER, *([i, "a"] for i in range(12))]
    table = read_criteria_workbook(make_workbook(rows, hide_rows=range(2, 14)))
    assert table.notes[0].endswith("rows 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more")


def test_what_stands_below_the_table_is_left_out_and_said(make_workbook: Make) -> None:
    rows = [
        HEADER,
        ["Q1", "a"],
        ["Total", 1, 0],
        [None],
        ["Levels are points."],
        ["Ask Ada."],
        [None],
        [None, None, None, None, "x"],
    ]
    table = read_criteria_workbook(make_workbook(rows))
    assert [row.item_id for row in table.rows] == ["Q1"]
    assert table.notes[0].endswith("left out, having no id or no criteria: rows 3, 5, 6, 8")


def test_several_footnotes_below_the_table(make_workbook: Make) -> None:
    rows = [HEADER, ["Q1", "a"], [None], ["one"], [None], ["two"], [None]]
    assert read_criteria_workbook(make_workbook(rows)).notes[0].endswith("rows 4, 6")


def test_questions_without_criteria_are_all_named(make_workbook: Make) -> None:
    rows = [HEADER, ["Q1", "a"], ["Q2"], ["Q3", "b"], ["Q4"]]
    with pytest.raises(InputError, match=r"no criteria at any level \(id Q2 in A3, id Q4 in A5\)") as caught:
        read_criteria_workbook(make_workbook(rows))
    assert (caught.value.sheet, caught.value.cell) == ("Sheet1", "A3")


def test_blank_ids_are_all_named(make_workbook: Make) -> None:
    with pytest.raises(InputError, match=r"criteria without an id \(A2, A4\)"):
        read_criteria_workbook(make_workbook([HEADER, [None, "a"], ["Q1", "b"], [" ", "c"]]))


def test_duplicate_ids_are_all_named(make_workbook: Make) -> None:
    rows = [HEADER, [1, "a"], ["1", "b"], [" 1.0", "c"], *(["x", "y"] for _ in range(12))]
    with pytest.raises(InputError, match=r"an id occurs twice \(1 \(first in A2\) in A3, .* and 3 more\)"):
        read_criteria_workbook(make_workbook(rows))


def test_no_id_column(make_workbook: Make) -> None:
    with pytest.raises(InputError, match=r"row 1.*no id column in row 1, which has 'Criterion', '25'"):
        read_criteria_workbook(make_workbook([["Criterion", 25], ["x", "a"]]))
    table = read_criteria_workbook(make_workbook([["Criterion", 25], ["x", "a"]]), column_map={"id": "criterion"})
    assert table.rows[0].item_id == "x"


def test_no_level_columns(make_workbook: Make) -> None:
    rows = [["id", "Good\nwork"], ["x", "a"]]
    with pytest.raises(InputError, match="no level columns: none of 'id', 'Good work' is a number"):
        read_criteria_workbook(make_workbook(rows))
    table = read_criteria_workbook(make_workbook(rows), column_map={"50": "good work"})
    assert table.rows[0].criteria[0].level == 50


def test_neither_id_nor_levels(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="no id column in row 2, which has 'foo', 'answer'"):
        read_criteria_workbook(make_workbook([["title"], ["foo", "answer"], ["x", "y"]]))


@pytest.mark.parametrize(("level", "reason"), [(0.25, r"for 25%, type 25"), (2024, "1 to 100"), (0, "1 to 100")])
def test_a_header_that_is_no_level(make_workbook: Make, level: float, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        read_criteria_workbook(make_workbook([["id", 50, level], ["x", "a", "b"]]))
    assert caught.value.cell == "C1"


def test_two_columns_for_one_level(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="level 25 has two columns, here and in B1"):
        read_criteria_workbook(make_workbook([["id", 25, "25.0"], ["x", "a", "b"]]))


def test_two_columns_for_one_field(make_workbook: Make) -> None:
    with pytest.raises(InputError, match=r"\[Sheet1!row 1\]: 2 columns can be the id: 'id', 'Query ID'"):
        read_criteria_workbook(make_workbook([["id", "Query ID", 25], ["x", "y", "a"]]))


def test_a_table_without_rows(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="no rows of criteria below it"):
        read_criteria_workbook(make_workbook([HEADER]))


def test_an_empty_workbook(make_workbook: Make) -> None:
    with pytest.raises(InputError, match="the sheet is empty"):
        read_criteria_workbook(make_workbook({"a": [], "b": []}))


def test_too_many_rows(make_workbook: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    count = len(read_criteria_workbook(make_workbook()).rows)
    monkeypatch.setattr("grader.inputs.tiered_layout._ROW_LIMIT", count)  # its header is none of them
    assert len(read_criteria_workbook(make_workbook()).rows) == count
    monkeypatch.setattr("grader.inputs.tiered_layout._ROW_LIMIT", count - 1)
    with pytest.raises(InputError, match=f"more than {count - 1} rows") as caught:
        read_criteria_workbook(make_workbook())
    assert f"A{count + 1}" in str(caught.value)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ('<c r="B3" t="e"><v>#DIV/0!</v></c>', "the cell shows the error #DIV/0!"),
        ('<c r="B3" t="e"/>', None),
        ('<c r="B3" t="e"><f>1/0</f></c>', "the cell shows the error of a failed formula"),
        ('<c r="B3"><f>A1&amp;"x"</f></c>', 'the formula =A1&"x" has no stored result'),
        ('<c r="B3"><f t="shared" si="0"/><v></v></c>', "the formula =… has no stored result"),
        ('<c r="B3" t="str"><f>A2</f><v>(1) fine</v></c>', None),
        ('<c r="B3" t="str"><f>""</f><v></v></c>', None),
        ('<c r="E3" t="e"><v>#N/A</v></c>', None),
    ],
)
def test_a_failed_cell_in_a_column_that_counts(
    make_package: Make, row: Callable[..., str], cell: str, reason: str | None
) -> None:
    head = row(1, "id", 25, 50) + row(2, "Q1", "a") + '<row r="3"><c r="A3" t="inlineStr"><is><t>Q2</t></is></c>'
    last = '<c r="C3" t="inlineStr"><is><t>b</t></is></c></row>'
    beside = cell + last if "B3" in cell else last.replace("</row>", f"{cell}</row>")
    after = '<extLst><ext><x:f xmlns:x="urn:x">A1</x:f></ext></extLst>'
    path = make_package(head + beside, after=after)
    if reason is None:
        assert len(read_criteria_workbook(path).rows) == 2
    else:
        with pytest.raises(InputError) as caught:
            read_criteria_workbook(path)
        assert (caught.value.sheet, caught.value.cell) == ("Criteria", "B3")
        assert reason in caught.value.message or reason in str(caught.value)


def test_a_csv_works_like_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "criteria.csv"
    path.write_text('query id;25;100\r\n007;"(1) a\n(2) b";\r\n008;;c\r\n', encoding="utf-8")
    table = read_criteria_workbook(path)
    assert (table.sheet, table.header_row) == (None, 1)
    assert [(row.item_id, len(row.criteria)) for row in table.rows] == [("007", 2), ("008", 1)]


def test_an_error_text_in_a_file_that_marks_no_errors(tmp_path: Path) -> None:
    path = tmp_path / "criteria.csv"
    path.write_text("id,25\nQ1,#REF!\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"\[B2\]: the cell shows the error #REF!"):
        read_criteria_workbook(path)


def test_json_is_no_criteria_workbook(tmp_path: Path) -> None:
    path = tmp_path / "criteria.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="this is JSON"):
        read_criteria_workbook(path)
