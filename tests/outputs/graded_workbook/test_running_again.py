from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.worksheet.worksheet import Worksheet

from grader.outputs.graded_workbook.earlier import unreviewed_count
from grader.outputs.graded_workbook.expert_entries import (
    CriterionEntry,
    ExpertEntry,
    entry_for,
    read_entries,
    typed_over,
    with_stale,
)
from grader.outputs.graded_workbook.in_place.place import CriteriaSheet
from grader.outputs.graded_workbook.keys import grade_key, judge_hash, text_hash
from grader.outputs.graded_workbook.opening import open_package
from grader.outputs.graded_workbook.removal.recognising import find_ours
from grader.outputs.graded_workbook.write import WrittenWorkbook
from grader.records import CellRef, Grade

Write = Callable[..., WrittenWorkbook]
Make = Callable[..., Grade]
Save = Callable[[Path], Path]

CRITERIA = CriteriaSheet("Criteria", 1)


@pytest.fixture
def grades(grade: Make, criteria_path: Path) -> Sequence[Grade]:
    """Two systems' grades, which know their rows in the criteria workbook."""
    made = [grade(id, system) for system in ("alpha", "beta") for id in ("1", "2")]
    return [replace(each, item=replace(each.item, source=source(criteria_path, each.item.id))) for each in made]


def source(path: Path, item_id: str) -> CellRef:
    return CellRef(path=str(path), sheet="Criteria", cell=f"A{int(item_id) + 1}")


def edit(path: Path, change: Callable[[Any], object]) -> None:
    book = openpyxl.load_workbook(path)
    change(book)
    book.save(path)


def cell(sheet: Worksheet, column: str, row: int) -> Any:
    names = [each.value for each in sheet[1]]
    return sheet.cell(row, names.index(column) + 1)


def type_in(path: Path, row: int, sheet: str = "Review", **entries: Any) -> None:
    def change(book: Any) -> None:
        for name, value in entries.items():
            cell(book[sheet], name.replace("_", " ").capitalize(), row).value = value

    edit(path, change)


def by_openpyxl(path: Path) -> Path:
    edit(path, lambda book: None)
    return path


def by_libreoffice(path: Path) -> Path:
    if shutil.which("soffice") is None:
        pytest.skip("LibreOffice is not installed")
    folder = path.parent.with_name("libreoffice")
    profile = f"-env:UserInstallation={folder.with_name('profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir"]
    subprocess.run([*command, str(folder), str(path)], check=True, capture_output=True, timeout=120)
    shutil.copy(folder / path.name, path)
    return path


SAVED_BY = pytest.mark.parametrize("save", [lambda path: path, by_openpyxl, by_libreoffice])
OUR_SHEETS = ["Review", "Summary", "About", "_lists"]


@pytest.mark.no_cover
@SAVED_BY
def test_a_workbook_saved_elsewhere_is_replaced_and_entries_stay(
    write: Write, grades: Sequence[Grade], criteria_path: Path, save: Save
) -> None:
    path = write(grades, criteria_path, criteria_sheet=CRITERIA).path
    type_in(path, 2, expert_score=75, expert_comment="half is there")
    save(path)

    written = write(grades, criteria_path, criteria_sheet=CRITERIA, about={"Run": "run-2"})
    book = openpyxl.load_workbook(written.path)

    assert written.path == path
    assert written.notes == ("The expert's scores and comments in 1 row were carried over from the earlier workbook.",)
    assert book.sheetnames == ["Criteria", "Notes", *OUR_SHEETS]
    assert cell(book["Review"], "Expert score", 2).value == 75


@pytest.mark.no_cover
@SAVED_BY
def test_a_graded_workbook_as_criteria_gets_one_set_of_ours(
    write: Write, grades: Sequence[Grade], criteria_path: Path, tmp_path: Path, save: Save
) -> None:
    path = write(grades, criteria_path, criteria_sheet=CRITERIA).path
    type_in(path, 3, expert_score=25)
    before = save(path).rename(tmp_path / "again.xlsx")

    written = write(grades, before, criteria_sheet=CRITERIA)
    book = openpyxl.load_workbook(written.path)

    assert book.sheetnames == ["Criteria", "Notes", *OUR_SHEETS]
    assert cell(book["Review"], "Expert score", 3).value == 25
    headers = [f"{system} {kind}" for system in ("alpha", "beta") for kind in ("score", "verdict", "analysis")]
    assert [each.value for each in book["Criteria"][1]] == ["id", "criterion", *headers]
    assert book["Criteria"].tables["tblCriteria"].ref == "A1:H3"
    assert book["Criteria"]["B2"].fill.fgColor.rgb == "FFFF0000"


@pytest.mark.no_cover
@SAVED_BY
def test_five_rounds_let_nothing_grow(
    write: Write, grades: Sequence[Grade], criteria_path: Path, tmp_path: Path, save: Save
) -> None:
    current, sizes = criteria_path, []
    for number in range(5 if save is not by_libreoffice else 3):
        graded = save(write(grades, current, criteria_sheet=CRITERIA).path)
        current = graded.rename(tmp_path / f"round-{number}.xlsx")
        package = open_package(current)
        styles = package.tree(package.related_part("styles") or "")
        counts = {str(each.tag): len(each) for each in styles}
        sizes.append((counts, len(package.names()), round(current.stat().st_size, -3)))

    assert sizes[-1][0] == sizes[1][0]
    assert sizes[-1][1:] == sizes[1][1:]


def test_our_columns_may_become_fewer(write: Write, grades: Sequence[Grade], criteria_path: Path) -> None:
    path = write(grades, criteria_path, criteria_sheet=CRITERIA).path
    criteria = path.rename(path.with_name("again.xlsx"))

    book = openpyxl.load_workbook(write(grades[:2], criteria, criteria_sheet=CRITERIA).path)

    assert book["Criteria"].tables["tblCriteria"].ref == "A1:E3"
    assert book["Criteria"].dimensions == "A1:E3"
    assert find_ours(open_package(path)).columns == (("Criteria", "C1:E1"),)


def test_an_entry_for_changed_texts_is_kept_in_words_and_does_not_count(
    write: Write, grades: Sequence[Grade], criteria_path: Path
) -> None:
    path = write(grades, criteria_path).path
    type_in(path, 2, expert_score=100, expert_comment="names the unit")
    changed = [replace(each, item=replace(each.item, answer="Another answer.")) for each in grades]

    for _ in range(3):  # the words stay, and are said once
        written = write(changed, criteria_path)
    book = openpyxl.load_workbook(written.path, data_only=True)

    assert written.path == path
    assert cell(book["Review"], "Stale entry", 2).value == (
        "Expert score 100: “names the unit” (the question, criteria or answer has changed since)"
    )
    assert cell(book["Review"], "Expert score", 2).value is None
    assert cell(book["Review"], "Final", 2).value == 50
    assert cell(book["Review"], "Stale entry", 3).value is None


def test_stale_words_are_added_to_those_that_are_there() -> None:
    entry = ExpertEntry(
        score=50.0,
        comment="two\nlines",
        blind_comment="unsure",
        criteria={(25.0, 1): CriterionEntry(met=True), (None, 2): CriterionEntry(met="maybe", comment="c")},
        text_hash="old",
        stale="Expert score 0 (earlier)",
    )

    stale = with_stale(entry, "new")

    assert (stale.number, stale.comment, stale.criteria, stale.text_hash) == (None, "", {}, "new")
    assert stale.stale == (
        "Expert score 0 (earlier); Expert score 50: “two lines”; Blind: “unsure”; "
        "Expert verdict on criterion 2 maybe: “c”; Expert verdict on level 25, criterion 1 met "
        "(the question, criteria or answer has changed since)"
    )
    assert with_stale(stale, "new") is stale
    assert with_stale(replace(stale, stale=""), "newest").stale == ""


def test_entries_of_rows_that_are_gone_keep_the_old_workbook(
    write: Write, grades: Sequence[Grade], criteria_path: Path
) -> None:
    path = write(grades, criteria_path).path
    type_in(path, 2, expert_score=100)
    before = path.read_bytes()

    written = write(grades[1:], criteria_path)

    assert written.path == path
    assert "an entry of the expert's belongs to rows that are no longer there (id 1 of alpha)" in written.notes[-1]
    assert path.with_name("graded (earlier 1).xlsx").read_bytes() == before


def change_judge_score(book: Any) -> None:
    cell(book["Review"], "Judge score", 2).value = 99


def add_column(book: Any) -> None:
    sheet = book["Review"]
    sheet.cell(2, sheet.max_column + 1).value = "my own remark"


def add_note(book: Any) -> None:
    cell(book["Review"], "Answer", 2).comment = Comment("look here", "expert")


def add_picture(book: Any) -> None:
    from PIL import Image as Picture

    Picture.new("RGB", (4, 4)).save("picture.png")
    book["About"].add_image(Image("picture.png"), "D4")


def write_on_summary(book: Any) -> None:
    book["Summary"]["A90"] = "Discuss on Monday"


def change_our_column(book: Any) -> None:
    cell(book["Criteria"], "alpha verdict", 2).value = "wrong"


def change_own_sheet(book: Any) -> None:
    book["Criteria"]["B2"] = "Names the dose in mg"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (change_judge_score, "cells on its sheet Review were changed"),
        (add_column, "cells on its sheet Review were changed or added"),
        (add_note, "there are notes on its sheet Review"),
        (add_picture, "there are pictures or shapes on its sheet About"),
        (write_on_summary, "cells on its sheet Summary were changed"),
        (change_our_column, "our columns beside the criteria were changed by hand"),
        (change_own_sheet, "cells on the expert's own sheets in it were changed"),
    ],
)
def test_what_cannot_be_carried_over_keeps_the_old_workbook(
    write: Write,
    grades: Sequence[Grade],
    criteria_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Any], None],
    reason: str,
) -> None:
    if change is add_picture:
        pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    path = write(grades, criteria_path, criteria_sheet=CRITERIA).path
    type_in(path, 2, expert_score=75)
    edit(path, change)
    before = path.read_bytes()

    written = write(grades, criteria_path, criteria_sheet=CRITERIA)

    assert written.path == path
    assert reason in written.notes[-1]
    assert written.notes[-1].count(" because ") == 1
    assert path.with_name("graded (earlier 1).xlsx").read_bytes() == before
    assert cell(openpyxl.load_workbook(written.path)["Review"], "Expert score", 2).value == 75


def test_sorting_and_filtering_are_no_changes(write: Write, grades: Sequence[Grade], criteria_path: Path) -> None:
    path = write(grades, criteria_path).path
    type_in(path, 2, expert_score=75)

    def sort(book: Any) -> None:
        sheet = book["Review"]
        rows = [[each.value for each in row] for row in sheet.iter_rows(min_row=2)]
        for number, row in enumerate(reversed(rows), start=2):
            for column, value in enumerate(row, start=1):
                sheet.cell(number, column).value = value
        sheet.row_dimensions[3].hidden = True

    edit(path, sort)
    written = write(grades, criteria_path)

    assert written.path == path
    assert cell(openpyxl.load_workbook(path)["Review"], "Expert score", 2).value == 75


def test_a_renamed_review_keeps_its_name_and_its_entries(
    write: Write, grades: Sequence[Grade], criteria_path: Path, tmp_path: Path
) -> None:
    path = write(grades, criteria_path).path
    type_in(path, 2, expert_score=75)
    package = open_package(path)
    book = package.data(package.workbook).replace(b'name="Review"', b'name="Durchsicht"')
    renamed = type(package)(
        {
            **package.original,
            package.workbook: book.replace(b"'Review'!", b"Durchsicht!").replace(b"Review!", b"Durchsicht!"),
        }
    )
    renamed.save(path)
    criteria = path.rename(tmp_path / "again.xlsx")

    again = openpyxl.load_workbook(write(grades, criteria).path)

    assert again.sheetnames == ["Criteria", "Notes", "Durchsicht", *OUR_SHEETS[1:]]
    assert cell(again["Durchsicht"], "Expert score", 2).value == 75


def test_the_expert_s_sheets_and_formulas_keep_their_place(
    write: Write, grades: Sequence[Grade], criteria_path: Path, tmp_path: Path
) -> None:
    path = write(grades, criteria_path).path

    def add(book: Any) -> None:
        book.create_sheet("Mine")["A1"] = "=Summary!D8"
        del book["About"]

    edit(path, add)
    criteria = path.rename(tmp_path / "again.xlsx")
    book = openpyxl.load_workbook(write(grades, criteria).path)

    assert book.sheetnames == ["Criteria", "Notes", *OUR_SHEETS, "Mine"]
    assert book["Mine"]["A1"].value == "=Summary!D8"
    assert book["Review"].print_title_rows == "$1:$1"


def test_columns_that_the_expert_deleted_come_back_once(
    write: Write, grades: Sequence[Grade], criteria_path: Path, tmp_path: Path
) -> None:
    path = write(grades, criteria_path, criteria_sheet=CRITERIA).path

    def cut(book: Any) -> None:
        sheet = book["Criteria"]
        sheet.delete_cols(3, 6)
        table = sheet.tables["tblCriteria"]
        table.ref = table.autoFilter.ref = "A1:B3"
        table.tableColumns = table.tableColumns[:2]
        book.defined_names["_grader_columns"].attr_text = "#REF!"

    edit(path, cut)
    criteria = path.rename(tmp_path / "again.xlsx")
    book = openpyxl.load_workbook(write(grades, criteria, criteria_sheet=CRITERIA).path)

    assert book["Criteria"].dimensions == "A1:H3"


def test_an_old_workbook_without_marks_is_replaced_too(
    write: Write, grades: Sequence[Grade], criteria_path: Path
) -> None:
    path = write(grades, criteria_path).path

    def age(book: Any) -> None:
        for name in [name for name in book.defined_names if name.startswith("_grader_")]:
            del book.defined_names[name]
        cell(book["Review"], "Expert score", 2).value = 25

    edit(path, age)
    written = write(grades, path.rename(path.with_name("old.xlsx")))
    book = openpyxl.load_workbook(written.path)

    assert book.sheetnames == ["Criteria", "Notes", *OUR_SHEETS]
    assert cell(book["Review"], "Expert score", 2).value == 25


def test_a_stale_entry_is_read_back(write: Write, grades: Sequence[Grade], criteria_path: Path) -> None:
    path = write(grades, criteria_path).path
    type_in(path, 2, expert_score=100)
    changed = [replace(each, item=replace(each.item, question="Another question?")) for each in grades]
    write(changed, criteria_path)

    entry = read_entries(path)[grade_key(changed[0])]

    assert "Expert score 100" in entry.stale
    assert entry.text_hash == text_hash(changed[0].item)
    assert entry_for(changed[0], {grade_key(changed[0]): entry}).number is None


def test_the_hash_of_texts_follows_what_the_judge_was_shown_beside_them(grade: Make) -> None:
    item = grade().item

    assert text_hash(item) == text_hash(replace(item, fields={"context": " ", "notes": "mine"}))
    assert text_hash(item) != text_hash(replace(item, fields={"context": "A passage."}))


def test_the_judge_s_hash_does_not_follow_what_programs_do_on_saving() -> None:
    written = judge_hash(50.0, "ok", "one\ntwo ")

    assert judge_hash("50", "ok", "one\r\ntwo") == written
    assert judge_hash(None, "", "") == judge_hash("", None, None)
    assert judge_hash(51.0, "ok", "one\ntwo") != written
    assert judge_hash(50.0, "ok", "one two") != written


def test_what_was_typed_after_a_review_counts_and_the_stored_entry_is_stale() -> None:
    stored = {"a": ExpertEntry(score=0.0, text_hash="old"), "b": ExpertEntry(score=1.0, text_hash="new")}
    words = "Expert score 0 (the question, criteria or answer has changed since)"
    typed = {
        "a": ExpertEntry(score=75.0, text_hash="new", stale=words),
        "b": ExpertEntry(text_hash="new", stale="Expert score 9 (earlier)", before=(1.0, "")),
    }

    laid = typed_over(stored, typed)
    today = {key: with_stale(entry, "new") for key, entry in laid.items()}

    assert (today["a"].score, today["a"].stale) == (75.0, words)
    assert today["b"].stale == "Expert score 9 (earlier)"
    assert with_stale(laid["a"], "old").score == 0
    assert "75" in with_stale(laid["a"], "old").stale
    assert not isinstance(with_stale(laid["a"], "newest").score, float)


def siblings(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


def test_of_two_entries_about_one_row_in_two_workbooks_neither_is_lost(
    write: Write, grades: Sequence[Grade], criteria_path: Path
) -> None:
    path = write(grades, criteria_path).path
    lock = path.with_name("~$graded.xlsx")
    lock.write_text("")
    beside = write(grades, criteria_path).path
    type_in(path, 2, expert_score=25, expert_comment="in the open one")
    type_in(beside, 2, expert_score=75, expert_comment="beside it")
    lock.unlink()

    written = write(grades, criteria_path)

    kept = path.with_name("graded (earlier 1).xlsx")
    shown = [cell(openpyxl.load_workbook(each)["Review"], "Expert comment", 2).value for each in (path, kept)]
    assert shown == ["beside it", "in the open one"]
    assert any(
        "another workbook that was saved later says otherwise about the same (id 1" in note for note in written.notes
    )


def test_what_was_typed_beside_an_open_workbook_is_carried_on(
    write: Write, grades: Sequence[Grade], criteria_path: Path
) -> None:
    path = write(grades, criteria_path).path
    type_in(path, 2, expert_score=75)
    lock = path.with_name("~$graded.xlsx")
    lock.write_text("")
    for _ in range(3):  # nothing is typed there, so they do not pile up
        beside = write(grades, criteria_path).path
    assert siblings(path) == ["graded (2).xlsx", "graded.xlsx", "~$graded.xlsx"]
    type_in(beside, 3, expert_score=25)
    type_in(write(grades, criteria_path).path, 4, expert_score=0)
    assert siblings(path) == ["graded (2).xlsx", "graded (3).xlsx", "graded.xlsx", "~$graded.xlsx"]
    lock.unlink()

    written = write(grades, criteria_path)
    review = openpyxl.load_workbook(path)["Review"]

    assert written.path == path
    assert [cell(review, "Expert score", row).value for row in (2, 3, 4)] == [75, 25, 0]
    assert "What was typed in graded (2).xlsx, graded (3).xlsx was carried over too; go on with graded.xlsx." in (
        written.notes
    )
    assert written.unreviewed_count == 3


def test_what_was_carried_on_before_is_not_read_again(
    write: Write, grades: Sequence[Grade], criteria_path: Path
) -> None:
    path = write(grades, criteria_path).path
    beside = path.with_name("graded (2).xlsx")
    shutil.copy(path, beside)
    type_in(beside, 2, expert_score=75)
    digest = hashlib.sha256(beside.read_bytes()).hexdigest()

    assert write(grades, criteria_path, known=[digest]).unreviewed_count == 0
    assert write(grades, criteria_path).unreviewed_count == 1
    path.unlink()
    assert write(grades, criteria_path, known=[digest]).unreviewed_count == 1


def test_an_earlier_workbook_is_kept_once(
    write: Write, grades: Sequence[Grade], criteria_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(grades, criteria_path).path
    type_in(path, 2, expert_score=75)
    edit(path, write_on_summary)
    with monkeypatch.context() as patched:  # the process is killed between the two

        def die(*_: object) -> bool:
            raise KeyboardInterrupt

        patched.setattr("grader.outputs.graded_workbook.saving._replaced", die)
        with pytest.raises(KeyboardInterrupt):
            write(grades, criteria_path)
    for _ in range(3):
        written = write(grades, criteria_path)

    assert siblings(path) == ["graded (earlier 1).xlsx", "graded.xlsx"]
    assert cell(openpyxl.load_workbook(written.path)["Review"], "Expert score", 2).value == 75


def test_a_workbook_that_must_be_kept_and_is_open_stays_where_it_is(
    write: Write, grades: Sequence[Grade], criteria_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(grades, criteria_path).path
    edit(path, write_on_summary)
    before = path.read_bytes()
    real = Path.replace

    def refuse(self: Path, other: Path) -> Path:
        if other == path:
            raise PermissionError(13, "Permission denied")
        return real(self, other)

    monkeypatch.setattr(Path, "replace", refuse)
    written = write(grades, criteria_path)

    assert siblings(path) == ["graded (2).xlsx", "graded.xlsx"]
    assert path.read_bytes() == before
    assert "graded.xlsx is open in another program" in written.notes[-1]


@pytest.mark.no_cover
@SAVED_BY
@pytest.mark.parametrize("is_damaged", [False, True])
def test_without_the_criteria_workbook_the_expert_s_sheets_come_from_the_graded_one(
    write: Write, grades: Sequence[Grade], criteria_path: Path, save: Save, is_damaged: bool
) -> None:
    path = write(grades, criteria_path, criteria_sheet=CRITERIA).path
    type_in(path, 2, expert_score=75)
    save(path)
    if is_damaged:
        criteria_path.write_bytes(b"damaged")
    else:
        criteria_path.unlink()

    for _ in range(2):
        written = write(grades, criteria_path, criteria_sheet=CRITERIA)
        book = openpyxl.load_workbook(path)

        assert book.sheetnames == ["Criteria", "Notes", *OUR_SHEETS]
        assert book["Criteria"]["B2"].value == "Names the dose"
        assert book["Criteria"].dimensions == "A1:H3"
        assert cell(book["Review"], "Expert score", 2).value == 75
        assert any(note.startswith("The expert's sheets were taken from graded.xlsx") for note in written.notes)
        assert not any("our sheets only" in note for note in written.notes)


def test_our_sheets_alone_never_replace_the_expert_s(
    write: Write, grades: Sequence[Grade], criteria_path: Path
) -> None:
    path = write(grades, criteria_path).path
    before = path.read_bytes()

    written = write(grades)

    assert path.with_name("graded (earlier 1).xlsx").read_bytes() == before
    assert "it holds the expert's sheets" in written.notes[-1]


def test_entries_beside_about_rows_that_are_gone_stay_there_and_are_said(
    write: Write, grades: Sequence[Grade], criteria_path: Path
) -> None:
    path = write(grades, criteria_path).path
    beside = path.with_name("graded (2).xlsx")
    shutil.copy(path, beside)
    type_in(beside, 2, expert_score=75)
    path.with_name("graded (3).xlsx").write_bytes(b"no workbook")
    before = beside.read_bytes()

    written = write(grades[1:], criteria_path)

    assert "Entries in graded (2).xlsx about 1 row that this run does not have stay there." in written.notes
    assert written.path == path and beside.read_bytes() == before
    assert path.with_name("graded (3).xlsx").read_bytes() == b"no workbook"


def test_a_comment_and_a_verdict_that_were_not_reviewed_count_as_entries() -> None:
    stored = {"a": ExpertEntry(score=1.0, text_hash="h"), "b": ExpertEntry(score=1.0, text_hash="old")}
    criteria: dict[tuple[float | None, int], CriterionEntry] = {
        (None, 1): CriterionEntry(met=True),
        (None, 2): CriterionEntry(),
    }
    entries = {
        "a": ExpertEntry(score=1.0, comment="new", blind_score=2.0, criteria=criteria, text_hash="h"),
        "b": ExpertEntry(score=1.0, text_hash="h"),
        "gone": ExpertEntry(score=1.0, text_hash="h"),
        "stale": ExpertEntry(score=1.0, text_hash="old"),
    }

    assert unreviewed_count(entries, stored, [("a", "h"), ("b", "h"), ("stale", "h"), ("none", "h")]) == 4
    assert unreviewed_count(stored, stored, [("a", "h"), ("b", "h")]) == 0


def test_another_criteria_workbook_does_not_get_the_sheets_that_stand_there(
    write: Write, grades: Sequence[Grade], criteria_path: Path, tmp_path: Path
) -> None:
    path = write(grades, criteria_path).path
    before = path.read_bytes()
    other = tmp_path / "other.xlsx"
    other.write_bytes(b"damaged")

    book = openpyxl.load_workbook(write(grades, other).path)

    assert book.sheetnames == OUR_SHEETS
    assert path.with_name("graded (earlier 1).xlsx").read_bytes() == before
