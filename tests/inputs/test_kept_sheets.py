from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import cli
from grader.errors import InputError
from grader.inputs import tables
from grader.inputs.kept_sheets import kept_sheets, reading_once
from grader.inputs.package_intake import IntakeLimits
from grader.inputs.sheet import Sheet
from grader.inputs.tables import open_sheets


class Source:
    """Two sheets, of which the second cannot be read the first `failures` times; counts what is read."""

    def __init__(self, failures: int = 0) -> None:
        self.failures, self.read = failures, list[str]()

    def sheets(self) -> Iterator[Sheet]:
        for name in ("first", "second"):
            self.read.append(name)
            if name == "second" and self.failures:
                self.failures -= 1
                raise InputError("damaged")
            yield Sheet(path="x", name=name, rows=[])


def names(source: Source, place: str = "here") -> list[str | None]:
    return [sheet.name for sheet in kept_sheets(place, source.sheets)]


def test_sheets_are_read_once_and_only_as_far_as_they_are_wanted() -> None:
    source = Source()
    with reading_once():
        assert next(kept_sheets("here", source.sheets)).name == "first"
        assert source.read == ["first"]
        assert names(source) == names(source) == ["first", "second"]
        assert source.read == ["first", "second"]
        assert names(source, "elsewhere") == ["first", "second"]
    assert source.read == ["first", "second"] * 2


def test_outside_they_are_read_each_time() -> None:
    source = Source()
    with reading_once():
        names(source)
    names(source)
    assert source.read == ["first", "second"] * 2


def test_after_a_failure_they_are_read_anew_rather_than_in_part() -> None:
    source = Source(failures=2)
    with reading_once():
        for _ in range(2):
            with pytest.raises(InputError):
                names(source)
        assert names(source) == ["first", "second"]


def test_a_workbook_is_read_once_for_all_who_open_it(criteria_path: Path) -> None:
    with reading_once():
        first, again = next(open_sheets(criteria_path)), next(open_sheets(criteria_path))
        named = next(open_sheets(criteria_path, sheet="Criteria"))
    assert first is again
    assert first == named and first is not named
    assert next(open_sheets(criteria_path)) is not first


def test_score_reads_a_workbook_once_for_its_checks_and_its_plan(
    criteria_path: Path, answers_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    original = tables._read_tables

    def counted(path: Path, sheet: str | None, encoding: str | None, limits: IntakeLimits) -> Iterator[Sheet]:
        read.append(path)
        return original(path, sheet, encoding, limits)

    monkeypatch.setattr(tables, "_read_tables", counted)
    arguments = ["--criteria", criteria_path, "--answers", answers_path, "--model", "offline"]
    done = CliRunner().invoke(cli, ["score", *map(str, arguments), "--out", str(criteria_path.parent / "run")])
    assert done.exit_code == 0, done.output
    assert read == [criteria_path]
