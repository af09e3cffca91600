from __future__ import annotations

import pytest

from grader.outputs.graded_workbook.area import Area, parse_area, parse_areas, references


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("B2", Area(2, 2, 2, 2)),
        ("$B$2:C4", Area(2, 4, 2, 3)),
        ("C4:B2", Area(2, 4, 2, 3)),
        ("A:C", Area(1, 1_048_576, 1, 3)),
        ("2:3", Area(2, 3, 1, 16_384)),
        ("Table1", None),
        ("", None),
    ],
)
def test_areas_are_read(text: str, area: Area | None) -> None:
    assert parse_area(text) == area


def test_lists_of_areas_are_read() -> None:
    assert [str(area) for area in parse_areas("A1:B2 D4")] == ["A1:B2", "D4"]


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("SUM(A2:Z2)+B1", ["None!A2:Z2", "None!B1"]),
        ("SUM('O''Neil'!$A$1:$B$2)", ["O'Neil!A1:B2"]),
        ("Übersicht!A1*2", ["Übersicht!A1"]),
        ("SUM(Rubric!2:2)", ["Rubric!A2:XFD2"]),
        ("SUM(First:Last!C3)", ["First:Last!C3"]),
        ("[1]Rubric!A1+'[2]My sheet'!B2", []),
        ('"A1:B2"&"Rubric!C3"', []),
        ("LOG10(X)+Table1[A1x]+SUMME", []),
        ("A1:INDEX(B:B,2)", ["None!A1", "None!B1:B1048576"]),
        ("#REF!+1", []),
    ],
)
def test_what_a_formula_names(formula: str, found: list[str]) -> None:
    assert [f"{each.sheet}!{each.area}" for each in references(formula)] == found


def test_a_formula_that_is_written_once_for_many_cells_moves_with_them() -> None:
    filled = Area(2, 4, 8, 8)

    (moving,) = references("A2", filled)
    (fixed,) = references("$A$2", filled)
    (half,) = references("$A2:$B2", Area(2, 4, 8, 9))

    assert [str(each.area) for each in (moving, fixed, half)] == ["A2:A4", "A2", "A2:B4"]
