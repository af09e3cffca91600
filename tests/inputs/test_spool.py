from __future__ import annotations

import errno
import io
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from grader.checks.checking import refuse_errors
from grader.errors import RunError
from grader.inputs.answers import read_answers
from grader.inputs.criteria_table import Layout
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.delimited import read_delimited
from grader.inputs.items import join_items
from grader.inputs.questions import read_questions
from grader.inputs.reading_once import reading_once
from grader.inputs.spool import Form, Mapped, Spool, Spooled
from grader.planning import Request, prepare
from grader.records import Item

Make = Callable[..., Path]
WORDS = Form(pack=lambda word: (word,), unpack=lambda packed: str(packed[0]), weigh=len, key=lambda word: word[0])


@pytest.mark.parametrize("held_bytes", [0, 3, 100])
def test_values_are_the_same_wherever_they_are_kept(held_bytes: int) -> None:
    words = ["ab", "ünï", "\ud800", "", "gh"]
    form = Form(pack=WORDS.pack, unpack=WORDS.unpack, weigh=len, key=lambda word: word[:1])
    spooled = Spooled(form, Spool(held_bytes), words)
    assert list(spooled) == words
    assert [spooled[index] for index in (3, 1, -1, 0)] == ["", "ünï", "gh", "ab"]
    assert spooled[1:4] == words[1:4]
    assert spooled.keys == [word[:1] for word in words]
    spooled.add("more")
    assert (spooled[-1], len(spooled)) == ("more", 6)
    with pytest.raises(IndexError):
        spooled[6]


def count_files(monkeypatch: pytest.MonkeyPatch) -> list[IO[bytes]]:
    """Return a list that every temporary file made from now on is added to."""
    made: list[IO[bytes]] = []
    real = tempfile.TemporaryFile

    def make(**options: Any) -> IO[bytes]:
        made.append(real(**options))
        return made[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", make)
    return made


def test_what_there_is_room_for_makes_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_files(monkeypatch)
    spool = Spool(4)
    first = Spooled(WORDS, spool, ["ab"])
    assert (first[0], len(made)) == ("ab", 0)
    second = Spooled(WORDS, spool, ["cd", "ef"])
    assert (second[0], second[1], len(made)) == ("cd", "ef", 1)


def test_sequences_share_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_files(monkeypatch)
    spool = Spool(0)
    sequences = [Spooled(WORDS, spool, [f"{number}-{each}" for each in range(300)]) for number in range(50)]
    assert [sequence[299] for sequence in sequences] == [f"{number}-299" for number in range(50)]
    assert len(made) == 1


def test_a_full_folder_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    spooled = Spooled(WORDS, Spool(0), ["ab"])
    with pytest.raises(RunError, match="does not fit into the folder of temporary files: No space left") as caught:
        spooled[0]
    assert "TMPDIR" in (caught.value.hint or "")


def test_a_mapped_sequence_makes_each_value_when_it_is_taken() -> None:
    taken: list[int] = []

    def make(value: int) -> int:
        taken.append(value)
        return value * 10

    mapped = Mapped([1, 2, 3], make)
    assert (len(mapped), taken) == (3, [])
    assert (mapped[1], mapped[1:], taken) == (20, [20, 30], [2, 2, 3])


TIERED = [["id", "question", "Kind", 25, 50], [1, "Why?", "hard", "(1) a\n(2) b", "(1) c"], [2, "How?", "", "d", "e"]]
POINTS = [["id", "criterion", "points", "reference"], [1, "a", 2, "r"], [1, "b", 1, "r2"], [2, "c", 0.5, ""]]
QUESTIONS = [["id", "question", "answer", "checklist"], [1, "Why?", "one", "x\ny"], [2, "How?", "two", "z"]]


@pytest.mark.parametrize("rows", [TIERED, POINTS, QUESTIONS], ids=["tiered", "points", "questions"])
def test_items_are_the_same_with_and_without_room_in_memory(
    make_workbook: Make, tmp_path: Path, rows: list[list[object]]
) -> None:
    criteria_path = make_workbook(rows)
    answers_path, questions_path = tmp_path / "a.jsonl", tmp_path / "q.jsonl"
    answers_path.write_text(
        '{"id": 1, "answer": "A\\ud83d", "question": "Q", "n": 3}\n{"id": 2, "answer": "", "system": "other"}\n',
        encoding="utf-8",
    )
    questions_path.write_text('{"id": 2, "question": "What?", "context": "c"}\n', encoding="utf-8")
    layout: Layout | None = "questions" if rows is QUESTIONS else None

    def items(spool: Spool) -> Iterator[Item]:
        criteria = read_criteria_workbook(criteria_path, layout=layout, spool=spool)
        assert list(criteria.ids) == [row.item_id for row in criteria.rows]
        answers = [read_answers(answers_path, spool=spool)]
        questions = read_questions(questions_path, spool=spool)
        yield from join_items(criteria, answers, questions=questions, group_by="context").items
        if rows is QUESTIONS:
            yield from join_items(criteria).items

    held, spooled = list(items(Spool())), list(items(Spool(0)))
    assert held == spooled
    assert len(held) in (2, 4)


def test_a_plan_takes_items_from_its_file_again_and_again(make_workbook: Make, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"id": {n}, "answer": "answer {n}"}}\n' for n in (1, 2)), encoding="utf-8")
    request = Request(criteria_path=make_workbook(TIERED), answers_paths=(path,), samples=2, spool=Spool(0))
    plan = prepare(request)
    assert [(job.item.system, job.item.id, job.sample) for job in plan.jobs()] == list(plan.grades())
    assert [job.item.answer for job in plan.jobs()] == ["answer 1", "answer 1", "answer 2", "answer 2"]
    assert [item.answer for item in plan.items] == ["answer 1", "answer 2"]


def test_the_memory_that_a_plan_takes_does_not_grow_with_its_answers(make_workbook: Make, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"id": {n}, "answer": "{"x" * 8000}"}}\n' for n in range(3000)), encoding="utf-8")
    criteria_path = make_workbook([["id", 50], *([n, "(1) a"] for n in range(3000))])
    request = Request(criteria_path=criteria_path, answers_paths=(path,))
    tracemalloc.start()
    try:
        with reading_once():
            refuse_errors(request)
            plan = prepare(request)
        assert sum(len(job.item.answer) for job in plan.jobs()) == 24_000_000
        assert tracemalloc.get_traced_memory()[1] < 14_000_000
    finally:
        tracemalloc.stop()


def test_the_rows_of_a_text_table_are_the_same_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("".join(f'{n},"say ""{n}""\nand more",{"ü" * n}\n' for n in range(3000)), encoding="utf-8")
    held, spooled = (read_delimited(path, spool=Spool(size)) for size in (10**9, 0))
    assert list(held.rows) == list(spooled.rows)
    assert (len(held.rows), held.rows[7]) == (3000, ["7", 'say "7"\nand more', "ü" * 7])
