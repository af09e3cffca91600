"""Reading a run leaves its folder as it was: nothing is added, nothing changed, and it need not be writable."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from grader.errors import RunError
from grader.store import run_reader
from grader.store.run_head import PROBE_MARK, stored_head
from grader.store.run_reader import reading_run
from grader.store.run_store import RunStore


def begun_run(run_dir: Path, fact: str) -> Path:
    with RunStore(run_dir) as store:
        store.set_meta("fact", fact)
    return run_dir


def killed_run(run_dir: Path, tmp_path: Path) -> Path:
    """A run as one that was killed leaves it: what it wrote last is not yet in the store itself."""
    begun_run(tmp_path / "going", "early")
    with RunStore(tmp_path / "going") as store:
        store.set_meta("fact", "late")
        shutil.copytree(tmp_path / "going", run_dir)
    return run_dir


def files_of(run_dir: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run_dir.iterdir()}


class Unopened:
    """As a connection where SQLite may not make its files; permissions would not stop a test that root runs."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def execute(self, _: str) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    def close(self) -> None:
        pass


def test_reading_leaves_no_file_behind(tmp_path: Path) -> None:
    run = begun_run(tmp_path / "run", "early")
    before = files_of(run)
    with reading_run(run) as reader:
        assert reader.meta("fact") == "early"
    assert files_of(run) == before


def test_two_readers_at_once_leave_no_file_behind(tmp_path: Path) -> None:
    run = begun_run(tmp_path / "run", "early")
    before = files_of(run)
    with reading_run(run) as first, reading_run(run) as second:
        assert first.meta("fact") == second.meta("fact") == "early"
    assert sorted(files_of(run)) == sorted(before)


def test_a_reader_can_change_nothing(tmp_path: Path) -> None:
    run = begun_run(tmp_path / "run", "early")
    with reading_run(run) as reader, pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._connection.execute("DELETE FROM meta")


def test_what_a_killed_run_wrote_last_is_read_and_left_as_it_lies(tmp_path: Path) -> None:
    run = killed_run(tmp_path / "run", tmp_path)
    store = (run / "run.db").read_bytes()
    with reading_run(run) as reader:
        assert reader.meta("fact") == "late"
    assert (run / "run.db").read_bytes() == store


@pytest.mark.parametrize(("is_killed", "fact"), [(False, "early"), (True, "late")])
def test_a_folder_that_cannot_be_written_is_read_to_the_last_entry(
    is_killed: bool, fact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = killed_run(tmp_path / "run", tmp_path) if is_killed else begun_run(tmp_path / "run", "early")
    monkeypatch.setattr(run_reader, "_to_read", Unopened)
    before = files_of(run)
    with reading_run(run) as reader:
        assert reader.meta("fact") == fact
    assert files_of(run) == before


def test_a_run_goes_on_while_it_is_read(tmp_path: Path) -> None:
    run = begun_run(tmp_path / "run", "early")
    with reading_run(run) as reader:
        assert reader.meta("fact") == "early"
        with RunStore(run) as store:
            store.set_meta("fact", "late")
        assert reader.meta("fact") == "early"
    with reading_run(run) as reader:
        assert reader.meta("fact") == "late"


def test_a_store_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.db").write_bytes(b"no database" * 100)
    with pytest.raises(RunError, match="cannot be used"), reading_run(tmp_path):
        raise AssertionError("opened")


def test_a_damaged_fact_is_told(tmp_path: Path) -> None:
    with RunStore(tmp_path / "run") as store:
        store.set_meta("head", '{"record": \x07')
    with pytest.raises(RunError, match="damaged"), reading_run(tmp_path / "run") as reader:
        stored_head(reader)


def test_a_probe_is_no_run(tmp_path: Path) -> None:
    with RunStore(tmp_path / "probe") as store:
        store.set_meta(PROBE_MARK, "yes")
    with reading_run(tmp_path / "probe") as reader, pytest.raises(RunError, match="is a probe of a judge"):
        stored_head(reader)
