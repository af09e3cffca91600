from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.errors import InputError
from grader.inputs.answers import AnswersTable
from grader.inputs.criteria_table import CriteriaRow, CriteriaTable
from grader.inputs.items import join_items
from grader.inputs.questions import Question, QuestionsTable
from grader.records import Answer, CellRef, Criterion


def criteria(*ids: str, **fields: Any) -> CriteriaTable:
    rows = tuple(
        CriteriaRow(
            item_id=item_id,
            criteria=(Criterion(item_id=item_id, text="a", level=25),),
            source=CellRef(path="c.xlsx", sheet="S", cell=f"A{number}"),
            **fields,
        )
        for number, item_id in enumerate(ids, start=2)
    )
    columns = {"id": "A", **({"answer": "B"} if "answer" in fields else {})}
    return CriteriaTable(path="c.xlsx", sheet="S", header_row=1, columns=columns, layout="tiered", rows=rows, ids=ids)


def answers(path: str, *ids: str, system: str | None = None, **extra: str) -> AnswersTable:
    stem = Path(path).stem
    return AnswersTable(
        path=path,
        keys=[(system or stem, item_id) for item_id in ids],
        answers=tuple(
            Answer(
                item_id=item_id,
                system=system or stem,
                text=f"{path} {item_id}",
                extra=extra,
                source=CellRef(path=path, cell=f"line {line}"),
            )
            for line, item_id in enumerate(ids, start=1)
        ),
        file_system=stem,
    )


def test_items_are_in_criteria_order_and_then_in_the_order_of_the_systems() -> None:
    join = join_items(criteria("2", "1"), [answers("b.jsonl", "1", "2"), answers("a.jsonl", "2", "1")])
    assert [(item.id, item.system) for item in join.items] == [("2", "b"), ("2", "a"), ("1", "b"), ("1", "a")]
    assert join.systems == ("b", "a")
    assert join.items[0].source == CellRef(path="c.xlsx", sheet="S", cell="A2")
    assert join.skipped == ()
    assert join.notes == ()


def test_what_does_not_match_is_listed_per_system() -> None:
    join = join_items(criteria("1", "2"), [answers("a.jsonl", "1", "3"), answers("b.jsonl", "1", "2")])
    assert [(s.system, s.item_id, s.reason) for s in join.skipped] == [
        ("a", "2", "criteria without an answer"),
        ("a", "3", "an answer without criteria"),
    ]
    assert join.notes == ("a: 1 of 2 questions have no answer", "a: 1 of 2 answers have no criteria")


def test_no_match_at_all_shows_ids_of_both_sides() -> None:
    with pytest.raises(InputError, match=r"they have '1', '2' …, the answers in a.jsonl have 'q1' …") as caught:
        join_items(criteria("1", "2"), [answers("a.jsonl", "q1")])
    assert caught.value.hint is not None
    assert "--map id=COLUMN" in caught.value.hint


def test_files_with_one_stem_are_two_systems() -> None:
    join = join_items(
        criteria("1"), [answers("x/gpt.jsonl", "1"), answers("y/gpt.jsonl", "1"), answers("b.jsonl", "1")]
    )
    assert join.systems == ("x/gpt", "y/gpt", "b")
    same_folder = join_items(criteria("1"), [answers("x/gpt.jsonl", "1"), answers("x/gpt.csv", "1")])
    assert same_folder.systems == ("x/gpt", "x/gpt (2)")


def test_one_system_in_several_files() -> None:
    tables = [answers("part1.jsonl", "1", system="gpt"), answers("part2.jsonl", "2", system="gpt")]
    assert join_items(criteria("1", "2"), tables).systems == ("gpt",)
    with pytest.raises(InputError, match=r"gpt 1 \(first in a.jsonl line 1\) in line 1"):
        join_items(criteria("1"), [answers("a.jsonl", "1", system="gpt"), answers("b.jsonl", "1", system="gpt")])


def test_answers_made_without_a_file_can_clash_too() -> None:
    twice = (Answer(item_id="1", system="s", text=""), Answer(item_id="1", system="s", text=""))
    with pytest.raises(InputError, match="two answers with one id"):
        join_items(criteria("1"), [AnswersTable(path="", answers=twice, keys=[("s", "1"), ("s", "1")])])


def test_a_file_given_twice() -> None:
    with pytest.raises(InputError, match="given twice"):
        join_items(criteria("1"), [answers("a.jsonl", "1"), answers("a.jsonl", "1")])


def test_question_and_fields_come_from_the_best_source() -> None:
    questions = QuestionsTable(
        path="q.jsonl",
        questions={"1": Question(item_id="1", question="from q", reference=" ", fields={"type": "hard", "image": ""})},
    )
    table = criteria("1", "2", question="from c", reference="from c", fields={"type": "easy", "note": "n"})
    given = answers("a.jsonl", "1", "2", question="from a", reference="from a", image="i.png")
    first, second = join_items(table, [given], questions=questions).items
    assert (first.question, first.reference) == ("from q", "from c")
    assert first.fields == {"type": "hard", "note": "n", "image": "i.png"}
    assert (second.question, second.fields["type"]) == ("from c", "easy")
    bare = join_items(criteria("1"), [given]).items[0]
    assert (bare.question, bare.reference) == ("from a", "from a")


def test_a_group_is_any_field() -> None:
    table = criteria("1", fields={"group": "hard", "Other": ""})
    given = [answers("a.jsonl", "1", scenario_code="3")]
    assert join_items(table, given).items[0].group is None
    assert join_items(table, given, group_by="Type").items[0].group == "hard"
    assert join_items(table, given, group_by="Scenario Code").items[0].group == "3"
    with pytest.raises(
        InputError, match="no field 'scenario' to group by; the fields are 'scenario_code', 'group'"
    ) as caught:
        join_items(table, given, group_by="scenario")
    assert caught.value.hint == "Say --group-by scenario_code"
    with pytest.raises(InputError, match="the fields are none"):
        join_items(criteria("1"), [answers("a.jsonl", "1")], group_by="x")


def test_a_blank_group_is_no_group() -> None:
    join = join_items(criteria("1", fields={"type": " "}), [answers("a.jsonl", "1")], group_by="type")
    assert join.items[0].group is None


def test_the_workbooks_own_answers() -> None:
    join = join_items(criteria("1", answer="own"))
    assert [(item.system, item.answer) for item in join.items] == [("c", "own")]
    assert join_items(criteria("1", answer="own", fields={"system": "gpt"})).systems == ("gpt",)
    with pytest.raises(InputError, match="no answers to grade") as caught:
        join_items(criteria("1"))
    assert caught.value.hint is not None
    assert "--answers" in caught.value.hint


def test_answers_in_files_win_over_the_workbooks_own() -> None:
    join = join_items(criteria("1", answer="own"), [answers("a.jsonl", "1")])
    assert join.systems == ("a",)
    assert join.notes == ("c.xlsx: its answer column is not graded, as answers are given in files",)
