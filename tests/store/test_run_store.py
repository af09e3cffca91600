from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from grader.errors import RunError
from grader.records import (
    CellRef,
    Criterion,
    CriterionVerdict,
    Grade,
    Item,
    RecordedReply,
    Reply,
    Status,
    StoredCall,
    StoredGrade,
    Usage,
    Verdict,
)
from grader.store.recorded_replies import read_recorded_replies
from grader.store.run_store import FILE_NAME, SCHEMA_VERSION, RunStore

ROOT = Path(__file__).parents[2]

REPLY = Reply(
    key="k1",
    text="<score>50</score> 全角 \u200b 🚀\x00",
    finish_reason="stop",
    refusal="no",
    usage=Usage(prompt_tokens=10, completion_tokens=2),
    seconds=1.25,
    cost_usd=0.125,
    attempts=3,
)
ITEM = Item(
    id="1",
    system="s",
    answer="a\ud800b",
    question="q",
    reference="r",
    criteria=(
        Criterion(
            item_id="1", text="t", number=2, level=25, points=-1.5, source=CellRef(path="c.xlsx", sheet="S", cell="B2")
        ),
        Criterion(item_id="1", text="t"),
    ),
    fields={"context": "c", "": "e"},
    group="g",
    source=CellRef(path="c.xlsx", cell="line 2"),
)
GRADE = Grade(
    item=ITEM,
    verdict=Verdict(
        status=Status.REPAIRED,
        score=33.25,
        flags=("unreachable_score", "suspicious"),
        dimensions={"accuracy": 8.0},
        items=(CriterionVerdict(number=1, met=True, level=25, evidence="“e”"),),
        analysis="why",
        reason="odd",
    ),
    rubric="tiered",
    model="openai/gpt-4o",
    sample=2,
    replies=(REPLY,),
)


def call(
    reply: Reply = REPLY,
    *,
    system: str = "s",
    item_id: str = "1",
    sample: int = 1,
    ask: int = 1,
    is_finished: bool = True,
) -> StoredCall:
    return StoredCall(
        reply=reply, model="m", system=system, item_id=item_id, sample=sample, ask=ask, is_finished=is_finished
    )


def grade(position: int, keys: list[str], *, system: str = "s", item_id: str = "1") -> StoredGrade:
    item = Item(id=item_id, system=system, answer="a")
    replies = tuple(Reply(key=key) for key in keys)
    verdict = Verdict(status=Status.OK, score=0)
    return StoredGrade(
        position=position, grade=Grade(item=item, verdict=verdict, rubric="t", model="m", replies=replies)
    )


def test_every_field_of_a_grade_comes_back(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call(), StoredGrade(position=0, grade=GRADE)])
    with RunStore(tmp_path) as store:
        assert list(store.grades()) == [GRADE]
        assert GRADE in store.grades()
        assert grade(0, []).grade not in store.grades()


def test_every_field_of_a_reply_comes_back(tmp_path: Path) -> None:
    bare = Reply(key="k2", error="HTTP 500")
    with RunStore(tmp_path) as store:
        store.write([call(), call(bare)])
        assert store.find_reply("k1") == REPLY
        assert store.find_reply("k2") == bare


def test_a_grade_without_a_call_and_one_without_a_score(tmp_path: Path) -> None:
    skipped = Grade(item=ITEM, verdict=Verdict(status=Status.PARSE_ERROR, reason="x"), rubric="t", model="m")
    with RunStore(tmp_path) as store:
        store.write([StoredGrade(position=0, grade=skipped)])
        assert list(store.grades()) == [skipped]


def test_what_utf8_cannot_hold_neither_stops_the_store_nor_is_lost_silently(tmp_path: Path) -> None:
    odd = "x\ud83d"
    with RunStore(tmp_path) as store:
        store.write(
            [call(Reply(key="k", text=odd, refusal=odd, finish_reason=odd, error=odd), system=odd, item_id=odd)]
        )
        store.write([grade(0, ["k"], system=odd, item_id=odd)])
        reply = store.find_reply("k")
        assert reply == Reply(key="k", text="x?", refusal="x?", finish_reason="x?", error="x?")
        assert [each.item.id for each in store.grades()] == [odd]


def test_only_a_finished_call_is_found_and_of_several_the_latest(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        assert store.find_reply("k") is None
        store.write([call(Reply(key="k", error="HTTP 500"), is_finished=False)])
        assert store.find_reply("k") is None
        store.write([call(Reply(key="k", text="first")), call(Reply(key="k", text="second"))])
        store.write([call(Reply(key="k", error="later"), is_finished=False)])
        assert store.find_reply("k") == Reply(key="k", text="second")


def test_a_grade_shows_its_finished_reply_else_the_latest_failure(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call(Reply(key="k", error=error), is_finished=False) for error in ("one", "two")])
        store.write([grade(0, ["k"])])
        assert next(iter(store.grades())).replies[0].error == "two"
        store.write([call(Reply(key="k", text="served"))])
        assert next(iter(store.grades())).replies[0].text == "served"


def test_grades_that_are_held_are_those_that_are_read(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call(Reply(key="k", error=error), is_finished=False) for error in ("one", "two")])
        store.write([call(Reply(key="k1", text=text)) for text in ("first", "second")])
        store.write([call(Reply(key="k1", error="later"), is_finished=False)])
        store.write([StoredGrade(position=3, grade=GRADE), grade(1, ["k"]), grade(2, ["k1", "k"], item_id="\ud83d")])
        grades, read = store.grades(), list(store.grades().stored())
        grades.hold(2)
        assert next(iter(grades)) is not next(iter(grades))  # too many: read anew each time
        grades.hold(3)
        assert list(grades.stored()) == read
        assert next(iter(grades)) is next(iter(grades))


def test_grades_come_in_the_order_of_the_run_each_once(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([grade(2, [], item_id="c"), grade(0, [], item_id="a")])
        store.write([grade(1, [], item_id="b"), grade(0, [], item_id="A")])
        assert [each.item.id for each in store.grades()] == ["A", "b", "c"]
        assert len(store.grades()) == 3


def test_beginning_forgets_the_grades_and_keeps_the_calls(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call(), grade(0, ["k1"])])
        store.begin()
        assert len(store.grades()) == 0
        assert store.find_reply("k1") is not None


def test_a_run_keeps_its_id_and_its_facts(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run_id, created = store.run_id, store.meta("created")
        store.set_meta("x", "1")
        store.set_meta("x", "2")
    with RunStore(tmp_path) as store:
        assert (store.run_id, store.meta("created"), store.meta("x")) == (run_id, created, "2")
        assert store.meta("nothing") == ""


def test_fresh_starts_anew(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call(), grade(0, ["k1"])])
        run_id = store.run_id
    with RunStore(tmp_path, fresh=True) as store:
        assert store.find_reply("k1") is None
        assert len(store.grades()) == 0
        assert store.run_id != run_id


def test_every_commit_reaches_the_disk(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        for connection in (store._reader, store._writer):
            assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


@pytest.mark.parametrize("name", ["run", "run #2", "50%41?", "läuft 走る"])
def test_a_folder_in_use_is_refused_and_the_other_process_named(tmp_path: Path, name: str) -> None:
    with RunStore(tmp_path / name), pytest.raises(RunError, match=f"process {os.getpid()} on ") as caught:
        RunStore(tmp_path / name)
    assert "--out" in (caught.value.hint or "")
    with RunStore(tmp_path / name):
        pass


def test_a_folder_in_use_by_one_that_has_just_begun(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store._writer.execute("DELETE FROM meta")
        store._writer.commit()
        with pytest.raises(RunError, match="just begun"):
            RunStore(tmp_path)


def test_a_folder_in_use_is_not_emptied_by_fresh(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call()])
        with pytest.raises(RunError):
            RunStore(tmp_path, fresh=True)
        assert store.find_reply("k1") is not None


def test_a_newer_version_is_refused_and_can_be_replaced(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store._writer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(RunError, match="newer") as caught:
        RunStore(tmp_path)
    assert "--fresh" in (caught.value.hint or "")
    with RunStore(tmp_path, fresh=True):
        pass


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_store_is_told_with_a_remedy_that_works(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(RunError, match=r"run\.db") as caught:
        RunStore(tmp_path)
    assert "--fresh" in (caught.value.hint or "")
    with RunStore(tmp_path, fresh=True):
        pass


def test_damage_behind_the_first_page_is_told_when_it_is_met(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call(Reply(key=f"k{n}", text="x" * 300)) for n in range(500)])
        store.write([grade(n, [f"k{n}"]) for n in range(500)])
    path = tmp_path / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole[:12_288] + b"Z" * (len(whole) - 12_288))
    with RunStore(tmp_path) as store:
        with pytest.raises(RunError, match="malformed"):
            [store.find_reply(f"k{n}") for n in range(500)]
        with pytest.raises(RunError, match="malformed"):
            list(store.grades())


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("x")
    with pytest.raises(RunError, match="cannot be written") as caught:
        RunStore(tmp_path / "run")
    assert "--out" in (caught.value.hint or "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(RunError, match="cannot be written"):
            RunStore(tmp_path / "run")
    finally:
        tmp_path.chmod(0o700)


FILL = """
import resource, sys
from pathlib import Path
from grader.errors import RunError
from grader.records import Reply, StoredCall
from grader.store.run_store import RunStore

committed = 0
with RunStore(Path(sys.argv[1])) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try:
        for number in range(1000):
            reply = Reply(key=f"k{number}", text="x" * 5000)
            store.write(
                [StoredCall(reply=reply, model="m", system="s", item_id="1", sample=1, ask=1, is_finished=True)]
            )
            committed += 1
    except RunError as error:
        print(committed, error, error.hint, sep="|")
"""


def test_a_full_disk_stops_the_run_and_keeps_what_is_committed(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    committed, message, hint = done.stdout.strip().split("|")
    assert 5 < int(committed) < 1000
    assert str(tmp_path / FILE_NAME) in message
    assert "disk space" in hint
    with RunStore(tmp_path) as store:
        assert all(store.find_reply(f"k{number}") is not None for number in range(int(committed)))
        store.write([call()])


def test_a_store_that_was_deleted_is_told_and_not_written_in_vain(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call()])
        store.path.unlink()
        with pytest.raises(RunError, match="was deleted or moved while it was written"):
            store.write([call(Reply(key="later"))])


# Replaying a store


def test_recorded_replies_come_in_the_order_asked_and_only_finished_ones(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write(
            [call(Reply(key="a1", text="bad", finish_reason="stop")), call(Reply(key="a2", text="good"), ask=2)]
        )
        store.write([call(Reply(key="b1", error="HTTP 500"), item_id="2", is_finished=False)])
        store.write([grade(0, ["a1", "a2"]), grade(1, ["b1"], item_id="2")])
    assert list(read_recorded_replies(tmp_path / FILE_NAME)) == [
        RecordedReply(system="s", item_id="1", text="bad", finish_reason="stop"),
        RecordedReply(system="s", item_id="1", text="good"),
    ]


def test_a_call_of_before_a_criterion_was_changed_is_not_replayed(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call(Reply(key="old", text="old")), call(Reply(key="new", text="new")), grade(0, ["new"])])
    assert [each.text for each in read_recorded_replies(tmp_path / FILE_NAME)] == ["new"]


def test_a_reply_that_served_two_systems_is_replayed_to_both(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write([call(Reply(key="k", text="same"), system="a")])
        store.write([grade(0, ["k"], system="a"), grade(1, ["k"], system="b")])
    assert [(each.system, each.text) for each in read_recorded_replies(tmp_path / FILE_NAME)] == [
        ("a", "same"),
        ("b", "same"),
    ]


def test_items_that_have_no_grade_yet_are_replayed_from_their_latest_calls(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.write(
            [call(Reply(key="1", text="one")), call(Reply(key="2", text="two")), call(Reply(key="3", text="3"), ask=2)]
        )
    assert [each.text for each in read_recorded_replies(tmp_path / FILE_NAME)] == ["two", "3"]


def test_a_store_in_use_can_be_replayed_and_stays_as_it_is(tmp_path: Path) -> None:
    run_dir = tmp_path / "run #1"
    with RunStore(run_dir) as store:
        store.write([call(), grade(0, ["k1"])])
        assert len(list(read_recorded_replies(run_dir / FILE_NAME))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run #1"]


def test_what_is_no_store_cannot_be_replayed(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("no store " * 500)
    with pytest.raises(RunError, match="not a database"):
        list(read_recorded_replies(tmp_path / FILE_NAME))
    with pytest.raises(RunError, match="does not exist"):
        list(read_recorded_replies(tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(RunError, match="no such table"):
        list(read_recorded_replies(tmp_path / "empty.db"))
