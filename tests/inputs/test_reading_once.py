from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from grader.checks.checking import find_errors, refuse_errors
from grader.cli.main import cli
from grader.errors import InputError
from grader.inputs import tables
from grader.inputs.json_records import JsonSource
from grader.inputs.package_intake import IntakeLimits
from grader.inputs.reading_once import hand_on, handed_on, kept, kept_sheets, reading_once
from grader.inputs.sheet import Sheet
from grader.inputs.spool import Spool
from grader.inputs.tables import open_sheets
from grader.planning import Request, prepare


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

    def counted(
        path: Path, sheet: str | None, encoding: str | None, limits: IntakeLimits, spool: Spool | None
    ) -> Iterator[Sheet]:
        read.append(path)
        return original(path, sheet, encoding, limits, spool)

    monkeypatch.setattr(tables, "_read_tables", counted)
    arguments = ["--criteria", criteria_path, "--answers", answers_path, "--model", "offline"]
    done = CliRunner().invoke(cli, ["score", *map(str, arguments), "--out", str(criteria_path.parent / "run")])
    assert done.exit_code == 0, done.output
    assert read == [criteria_path]


def test_what_is_kept_is_read_once_and_again_after_an_error() -> None:
    read: list[str] = []

    def value() -> int:
        read.append("read")
        if len(read) == 1:
            raise InputError("damaged")
        return len(read)

    with reading_once():
        with pytest.raises(InputError):
            kept("here", value)
        assert kept("here", value) == kept("here", value) == 2
        assert kept("elsewhere", value) == 3
    assert kept("here", value) == 4


def test_what_is_handed_on_is_there_for_one_reader_only() -> None:
    hand_on("here", [1, 2])
    assert handed_on("here") is None
    with reading_once():
        hand_on("here", [1, 2])
        assert handed_on("elsewhere") is None
        assert handed_on("here") == [1, 2]
        assert handed_on("here") is None
    assert handed_on("here") is None


LINES = ('{"id": 1, "answer": "a"}', '{"id": 2,', '{"id": 3, "answer": "c"}')


@pytest.mark.parametrize(("lines", "skipping"), [(LINES, True), (LINES[::2], True), (LINES[::2], False)])
def test_score_reads_answers_once_for_its_checks_and_its_plan(
    criteria_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: Sequence[str], skipping: bool
) -> None:
    opened: list[Path] = []
    original = JsonSource.records

    def counted(self: JsonSource) -> Iterator[tuple[dict[str, Any], str]]:
        opened.append(self.path)
        return original(self)

    monkeypatch.setattr(JsonSource, "records", counted)
    path = tmp_path / "system.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    request = Request(criteria_path=criteria_path, answers_paths=(path,), skip_bad_lines=skipping)
    alone = prepare(request)
    opened.clear()
    with reading_once():
        refuse_errors(request)
        plan = prepare(request)
    assert list(plan.items) == list(alone.items)
    assert replace(plan, items=()) == replace(alone, items=())
    assert opened == [path]


def test_answers_with_broken_lines_that_nobody_left_out_are_not_handed_on(criteria_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "system.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    request = Request(criteria_path=criteria_path, answers_paths=(path,))
    with reading_once():
        assert [problem.rule for problem in find_errors(request)] == ["broken-line"]
        with pytest.raises(InputError, match="line 2"):
            prepare(request)
