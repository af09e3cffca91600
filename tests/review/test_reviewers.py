from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.errors import InputError
from grader.records import CellRef, Override
from grader.review.graded_files import GradedFile
from grader.review.reviewers import in_one_spelling, name_reviewers


def file(name: str, saved_by: str = "", **more: Any) -> GradedFile:
    facts = {"saved": "2026-01-01T00:00:00Z", "run_id": "", "rows": (), "lost": (), "faults": {}}
    return GradedFile(path=Path(name), saved_by=saved_by, **{**facts, **more})


@pytest.mark.parametrize(
    ("saved_by", "reviewer"),
    [
        ("Anna Meier", "Anna Meier"),
        ("山田", "山田"),
        *((program, "graded") for program in ("", "openpyxl", "Python", "LibreOffice/7.4", "Microsoft Office User")),
        *((nobody, "graded") for nobody in ("user", "Judge", "ADMIN")),
    ],
)
def test_who_saved_it_last_unless_that_is_nobody(saved_by: str, reviewer: str) -> None:
    assert name_reviewers([file("graded.xlsx", saved_by)]) == [reviewer]


def test_names_that_are_given_count() -> None:
    assert name_reviewers([file("a.xlsx", "X"), file("b.xlsx", "X")], ["Anna", " Bob\n"]) == ["Anna", "Bob"]


def test_two_files_of_one_name_go_by_their_own() -> None:
    files = [file("a.xlsx", "Office"), file("b.xlsx", "Office"), file("c.xlsx", "Cem")]
    assert name_reviewers(files) == ["a", "b", "Cem"]


def test_a_file_that_was_reviewed_before_keeps_its_reviewer() -> None:
    source = CellRef(path="/x/a.xlsx", sheet="Review", cell="A1")
    before = Override(system="s", item_id="1", reviewer="a", entered="2026-01-01T00:00:00Z", source=source)
    stored = [before, Override(system="s", item_id="1", reviewer="nobody's file")]
    assert name_reviewers([file("a.xlsx", "Office")], (), stored) == ["a"]
    assert name_reviewers([file("a.xlsx", "Office", saved="2026-02-02T00:00:00Z")], (), stored) == ["Office"]


@pytest.mark.parametrize("given", [["A"], ["A", ""], ["A", " judge "], ["A", "B", "C"]])
def test_names_that_cannot_be(given: list[str]) -> None:
    with pytest.raises(InputError):
        name_reviewers([file("a.xlsx"), file("b.xlsx")], given)


def test_files_that_cannot_be_told_apart() -> None:
    with pytest.raises(InputError, match="more than one workbook"):
        name_reviewers([file("x/graded.xlsx"), file("y/graded.xlsx")])


def test_a_person_in_two_spellings_is_one() -> None:
    stored = [Override(system="s", item_id="1", reviewer="Ann Müller")]
    names, notes = in_one_spelling(["ann mu\u0308ller ", "Ｂob", "bob"], stored)
    assert names == ["Ann Müller", "Ｂob", "Ｂob"]
    assert len(notes) == 2 and "the reviewer “Ann Müller”" in notes[0]
    assert in_one_spelling(["Cem"], stored) == (["Cem"], [])
    with pytest.raises(InputError, match="more than one workbook"):
        name_reviewers([file("x/Graded.xlsx"), file("y/graded.xlsx")])
