from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.records import Override
from grader.store.run_store import RunStore
from grader.store.written_files import remember_written, still_written, written_from


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore(tmp_path / "run") as opened:
        yield opened


@pytest.fixture
def written(store: RunStore, tmp_path: Path) -> Path:
    path = tmp_path / "graded.xlsx"
    path.write_bytes(b"grades")
    remember_written(store, written_from(store, ["a head"]), [path])
    return path


def test_files_stand_as_long_as_nothing_has_changed(store: RunStore, written: Path) -> None:
    assert still_written(store, written_from(store, ["a head"])) == [written]


def test_a_file_that_somebody_has_touched_does_not_stand(store: RunStore, written: Path) -> None:
    written.write_bytes(b"an entry")
    assert still_written(store, written_from(store, ["a head"])) == []

    written.unlink()
    assert still_written(store, written_from(store, ["a head"])) == []


def test_files_do_not_stand_once_the_run_says_something_else(store: RunStore, written: Path) -> None:
    assert still_written(store, written_from(store, ["another head"])) == []

    store.add_overrides([Override(system="s", item_id="1", score=50.0, text_hash="h", reviewer="Ada", entered="now")])
    assert still_written(store, written_from(store, ["a head"])) == []


def test_a_store_that_remembers_nothing_has_no_files(store: RunStore) -> None:
    assert still_written(store, written_from(store, [])) == []
    assert store.grades().is_settled(0)
    assert not store.grades().is_settled(1)
