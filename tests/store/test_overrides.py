from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from grader.records import CellRef, Override
from grader.store.run_store import RunStore

CELL = CellRef(path="a.xlsx", sheet="Review", cell="Q2")
SCORE = Override(
    system="s",
    item_id="1",
    sample=2,
    score=50.0,
    comment="全角",
    text_hash="h",
    reviewer="Anna",
    entered="t",
    source=CELL,
)
VERDICT = Override(system="s", item_id="1", level=25.0, number=2, met=False, is_blind=True, reviewer="Bob")


def test_overrides_come_back_as_they_were_in_their_order(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.add_overrides([VERDICT, SCORE])
        store.add_overrides([SCORE])
    with RunStore(tmp_path) as store:
        assert store.overrides() == [VERDICT, SCORE, SCORE]


def test_all_or_none_is_stored(tmp_path: Path) -> None:
    broken = Override(system="s", item_id="1", comment=None)  # type: ignore[arg-type]  # what the table refuses
    with RunStore(tmp_path) as store:
        with pytest.raises(Exception, match="NOT NULL"):
            store.add_overrides([SCORE, broken])
        assert store.overrides() == []


def test_a_text_that_utf_8_has_no_form_for_is_kept_as_well_as_can_be(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.add_overrides([Override(system="s", item_id="1", comment="a\ud800b", reviewer="A")])
        assert store.overrides()[0].comment == "a?b"


def test_grading_again_leaves_them(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.add_overrides([SCORE])
        store.begin()
        assert store.overrides() == [SCORE]
        assert store.kept_override_count == 0


def test_a_fresh_start_keeps_them_and_nothing_else(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.add_overrides([SCORE, VERDICT])
        store.set_meta("head", "{}")
        run_id = store.run_id
    with RunStore(tmp_path, fresh=True) as store:
        assert (store.kept_override_count, store.overrides()) == (2, [SCORE, VERDICT])
        assert store.meta("head") == "" and store.run_id != run_id
        assert store.totals().calls == 0 and len(store.grades()) == 0
        store.add_overrides([SCORE])
        assert store.overrides() == [SCORE, VERDICT, SCORE]


def test_a_store_of_an_older_grader_gets_the_table(tmp_path: Path) -> None:
    with RunStore(tmp_path):
        pass
    with sqlite3.connect(tmp_path / "run.db") as connection:
        connection.execute("DROP TABLE override")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with RunStore(tmp_path) as store:
        store.add_overrides([SCORE])
        assert store.overrides() == [SCORE]


def test_a_fresh_start_over_a_store_without_the_table(tmp_path: Path) -> None:
    with RunStore(tmp_path):
        pass
    with sqlite3.connect(tmp_path / "run.db") as connection:
        connection.execute("DROP TABLE override")
    connection.close()
    with RunStore(tmp_path, fresh=True) as store:
        assert (store.kept_override_count, store.set_aside) == (0, None)


def test_a_fresh_start_sets_a_file_aside_that_it_cannot_read(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "run.db").write_bytes(b"no database" * 100)
        with RunStore(tmp_path, fresh=True) as store:
            assert store.set_aside == tmp_path / f"run (earlier {number}).db"
            assert store.set_aside.read_bytes() == b"no database" * 100


def test_a_fresh_start_sets_the_store_of_a_newer_grader_aside(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.add_overrides([SCORE])
    with sqlite3.connect(tmp_path / "run.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with RunStore(tmp_path, fresh=True) as store:
        assert store.set_aside is not None and store.overrides() == []
