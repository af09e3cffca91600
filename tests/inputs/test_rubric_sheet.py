from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from grader.errors import InputError, RubricError
from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.inputs.rubric_sheet import find_rubric_sheet, read_rubric_sheet, rubric_type_for
from grader.outputs.new_workbook.write import write_new_workbook
from grader.rubric import Band, Rubric

Edit = Callable[[Worksheet], None]


@pytest.fixture
def read_edited(tmp_path: Path) -> Callable[..., Rubric]:
    """Return a function that writes a new workbook, has its Rubric sheet edited, and reads it back."""

    def read(name: str, edit: Edit) -> Rubric:
        path = tmp_path / "new.xlsx"
        write_new_workbook(path, read_rubric(name)[0])
        workbook = openpyxl.load_workbook(path)
        edit(workbook["Rubric"])
        workbook.save(path)
        found = find_rubric_sheet(path)
        assert found is not None
        return read_rubric_sheet(found)[0]

    return read


def put(values: dict[str, Any], column: int = 2) -> Edit:
    """Return what puts values behind the first cells that read so."""

    def edit(sheet: Worksheet) -> None:
        for label, value in values.items():
            row = next(row for row in range(1, 60) if str(sheet.cell(row, 1).value) == label)
            sheet.cell(row, column).value = value

    return edit


@pytest.mark.parametrize("name", list_rubrics())
def test_a_new_workbook_gives_the_rubric_back(name: str, tmp_path: Path) -> None:
    rubric, template_path = read_rubric(name)
    write_new_workbook(tmp_path / "new.xlsx", rubric)
    found = find_rubric_sheet(tmp_path / "new.xlsx")
    assert found is not None
    assert read_rubric_sheet(found) == (rubric, template_path)


def test_everything_an_expert_may_decide(read_edited: Callable[..., Rubric]) -> None:
    settings = {
        "Title": "Güte",
        "Description": "Wie gut?",
        "Lowest score": "0",
        "Highest score": 5.0,
        "Step": "0.5",
        "Scores to choose from": "0; 2.5; 5",
        "Instructions to the judge": "回答の長さにも注意。\n请注意长度。",
        "Language of the reasons": "日本語",
        "Silence checks": "vague-words, many-items、x1",
    }
    rubric = read_edited("likert", put(settings))
    assert (rubric.title, rubric.description) == ("Güte", "Wie gut?")
    assert (rubric.scale.min, rubric.scale.max, rubric.scale.step, rubric.scale.choices) == (0, 5, 0.5, (0, 2.5, 5))
    assert rubric.instructions == "回答の長さにも注意。\n请注意长度。"
    assert rubric.language == "日本語"
    assert rubric.silenced == ("vague-words", "many-items", "x1")
    assert rubric.bands == read_rubric("likert")[0].bands


def test_one_number_to_choose_from(read_edited: Callable[..., Rubric]) -> None:
    assert read_edited("likert", put({"Scores to choose from": 3})).scale.choices == (3,)


def test_bands_can_be_added_and_changed(read_edited: Callable[..., Rubric]) -> None:
    def edit(sheet: Worksheet) -> None:
        row = next(row for row in range(1, 60) if sheet.cell(row, 1).value == "Band")
        bands: list[tuple[Any, ...]] = [(4, 5, "good"), (1, 3, "bad")]
        for number, band in enumerate(bands, start=row + 1):
            for column, value in enumerate(band, start=2):
                sheet.cell(number, column).value = value
        sheet.delete_rows(row + 3, 3)

    assert read_edited("likert", edit).bands == (
        Band(min=4, max=5, text="good"),
        Band(min=1, max=3, text="bad"),
    )


def test_dimensions_have_words_and_bands_of_their_own(read_edited: Callable[..., Rubric]) -> None:
    def edit(sheet: Worksheet) -> None:
        put({"accuracy": "is it so?"}, column=4)(sheet)
        first = next(row for row in range(1, 60) if sheet.cell(row, 1).value == "Bands of") + 1
        last = next(row for row in range(first, 60) if sheet.cell(row, 1).value is None)
        band: tuple[Any, ...] = ("Context precision", 0, 5, "poor use")
        for column, value in enumerate(band, start=1):
            sheet.cell(last, column).value = value

    rubric = read_edited("relevance", edit)
    assert rubric.part("accuracy").description == "is it so?"
    assert rubric.part("context_precision").bands == (Band(min=0, max=5, text="poor use"),)
    assert rubric.part("accuracy").bands == ()
    assert len(rubric.bands) == 6


def test_what_the_judge_looks_at(read_edited: Callable[..., Rubric]) -> None:
    def edit(sheet: Worksheet) -> None:
        row = next(row for row in range(1, 60) if sheet.cell(row, 1).value == "Fluency")
        sheet.cell(row, 2).value = "does it read like a lawyer's?"
        sheet.cell(row + 1, 1).value, sheet.cell(row + 1, 2).value = "Sources", "does it name its sources?"

    aspects = read_edited("likert", edit).aspects
    assert [aspect.name for aspect in aspects][-2:] == ["Fluency", "Sources"]
    assert aspects[-2].text == "does it read like a lawyer's?"


def test_an_aspect_without_words(read_edited: Callable[..., Rubric]) -> None:
    with pytest.raises(InputError, match="the aspect does not say what the judge asks itself"):
        read_edited("likert", put({"Fluency": None}))


def test_points_of_the_levels(read_edited: Callable[..., Rubric]) -> None:
    rubric = read_edited("tiered", put({"25": 20}))
    assert rubric.options["points"] == {25: 20}
    assert (rubric.level_points(25), rubric.level_points(50)) == (20, 50)


def test_an_option_of_a_few_words(read_edited: Callable[..., Rubric]) -> None:
    assert read_edited("accuracy", put({"Strictness": " STRICT "})).options["strictness"] == "strict"


def test_an_emptied_cell_means_what_the_type_says(read_edited: Callable[..., Rubric]) -> None:
    assert read_edited("accuracy", put({"Strictness": None, "Title": " "})) == read_rubric("accuracy")[0]


@pytest.mark.parametrize(
    ("name", "edit", "says", "hint"),
    [
        ("accuracy", put({"Strictness": "stricd"}), "“stricd” is not allowed; the closest is strict", "balanced"),
        ("likert", put({"Highest score": "5,5"}), "Highest score: “5,5” has a comma", "plain number"),
        ("likert", put({"Highest score": 0}), "min 1 must be below its max 0", "Correct"),
        ("likert", put({"Scores to choose from": "1; x"}), "“x” is no number", "semicolons"),
        ("likert", put({"Scores to choose from": "1; 9"}), "not on the scale", "Correct"),
        ("likert", put({"Title": "Titel"}, column=1), "“Titel” is no setting .* closest is “Title”", "Language"),
        ("likert", put({"Description": "Title"}, column=1), "“Title” is given twice", "Keep one"),
        ("likert", put({"Rubric type": "likkert"}), "no rubric type “likkert”; the closest is likert", "accuracy"),
        ("likert", put({"Rubric type": None}), "the Rubric type is not given", "accuracy"),
        ("likert", put({"1": 9}), "starts at 9 and ends below", "Swap"),
        ("likert", put({"1": None}), "the end of a band is blank", "plain number"),
        ("likert", put({"1": "five"}), "“five” is no number", "plain number"),
        ("likert", put({"1": None}, column=4), "does not say what an answer there is like", "few words"),
        ("likert", put({"1": 9}, column=3), "from 5 to 9 is not on the scale, 1 to 5", "band or the scale"),
        ("likert", put({"Language of the reasons": "x" * 70}), "at most 60", "Correct"),
        ("relevance", put({"accuracy": 5}, column=3), "is always 0 to 10", "Write 10"),
        ("relevance", put({"accuracy": "acuracy"}, column=1), "no dimension “acuracy”; the closest is", "compre"),
    ],
)
def test_what_cannot_be_is_named_with_its_cell(
    read_edited: Callable[..., Rubric], name: str, edit: Edit, says: str, hint: str
) -> None:
    with pytest.raises(InputError, match=says) as caught:
        read_edited(name, edit)
    assert caught.value.sheet == "Rubric"
    assert caught.value.cell and caught.value.cell != "A1"
    assert hint in str(caught.value.hint)


def test_a_sheet_called_rubric_that_is_none(tmp_path: Path) -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "Rubric"
    sheet.append(["id", "criterion"])
    workbook.save(tmp_path / "a.xlsx")
    assert find_rubric_sheet(tmp_path / "a.xlsx") is None
    (tmp_path / "a.csv").write_text("Rubric type,x\n", encoding="utf-8")
    assert find_rubric_sheet(tmp_path / "a.csv") is None


def test_a_heading_without_a_type(tmp_path: Path) -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "RUBRIC"
    sheet.append(["Setting", "Value"])
    workbook.save(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="the Rubric type is not given"):
        find_rubric_sheet(tmp_path / "a.xlsx")


def test_a_rubric_file_is_found_from_the_workbooks_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(list_rubrics()["likert"]).read_text("utf-8").replace("name: likert", "name: mine")
    (tmp_path / "mine.yaml").write_text(source, encoding="utf-8")
    (tmp_path / "books").mkdir()
    rubric, _ = read_rubric(str(tmp_path / "mine.yaml"))
    rubric_type = rubric_type_for(str(tmp_path / "mine.yaml"), tmp_path / "books")
    assert (rubric_type, rubric_type_for("likert", tmp_path)) == ("../mine.yaml", "likert")
    write_new_workbook(tmp_path / "books" / "new.xlsx", rubric, rubric_type=rubric_type)
    found = find_rubric_sheet(tmp_path / "books" / "new.xlsx")
    assert found is not None and read_rubric_sheet(found)[0] == rubric
    (tmp_path / "mine.yaml").unlink()
    with pytest.raises(RubricError, match=r"mine\.yaml"):
        read_rubric_sheet(found)
