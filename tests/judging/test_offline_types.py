"""The offline judge for every type but `tiered`, and for rubrics that are not ours."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import JudgeError
from grader.inputs.rubric_file import read_rubric
from grader.judging.judge import Call
from grader.judging.offline_judge import OfflineJudge, judge_item
from grader.records import Criterion, Item, Prompt, Reply, Status, Verdict
from grader.rubric import Part, Rubric
from grader.scoring.replies import score_reply

TYPES = ("tiered-items", "points", "likert", "accuracy", "integrity", "relevance", "checklist")


def item(answer: str = "", *criteria: tuple[float | None, float, str], reference: str = "", **fields: str) -> Item:
    return Item(
        id="1",
        system="s",
        question=fields.pop("question", ""),
        reference=reference,
        answer=answer,
        criteria=tuple(
            Criterion(item_id="1", number=number, level=level, points=points, text=text)
            for number, (level, points, text) in enumerate(criteria, 1)
        ),
        fields=fields,
    )


def judged(graded: Item, rubric: Rubric | str) -> Verdict:
    rubric = read_rubric(rubric)[0] if isinstance(rubric, str) else rubric
    return score_reply(Reply(text=judge_item(graded, rubric)), graded, rubric)


def own(**changes: Any) -> Rubric:
    """A rubric of somebody else's."""
    plain = {
        "name": "own",
        "title": "Own",
        "inputs": ("question", "answer"),
        "template": "own.j2",
        "output": {"format": "labelled_lines", "parts": ({"name": "reasons"}, {"name": "score", "kind": "number"})},
        "scale": {"min": 0, "max": 20, "step": 5},
        "rule": "number",
    }
    return Rubric.model_validate({**plain, **changes})


def test_points_quotes_the_answer_and_faults_cost() -> None:
    graded = item(
        "First stop the service. Then run `tidy -all`.\nNever mind the logs, delete them all at once.",
        (None, 2, "gives the command `tidy -all`"),
        (None, 2, "names the option `-keep`"),
        (None, -1, "says to delete the logs all at once"),
    )
    verdict = judged(graded, "points")
    assert (verdict.status, verdict.score, verdict.flags) == (Status.OK, 25, ())
    assert [each.met for each in verdict.items] == [True, False, True]
    assert verdict.items[0].evidence == "Then run `tidy -all`."
    assert verdict.items[1].evidence == ""
    assert "no LLM" in verdict.analysis


def test_what_must_not_be_there_is_met_with_the_beginning_as_evidence() -> None:
    verdict = judged(item("Move it by hand. Slowly.", (None, 1, "does not mention `rm_all`")), "points")
    assert (verdict.score, verdict.flags, verdict.items[0].evidence) == (100, (), "Move it by hand.")


def test_tiered_items() -> None:
    graded = item("Use -slow.", (50.0, 1, "use `-slow`"), (100.0, 1, "use `-quiet`"))
    assert judged(graded, "tiered-items").score == 50


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Dogs are welcome on a lead, but not in the glasshouses.", 5),
        ("Dogs are welcome on a lead. The glasshouses are closed to them.", 4),
        ("There is a car park.", 1),
    ],
)
def test_likert(answer: str, score: int) -> None:
    graded = item(answer, question="Dogs?", reference="Dogs are welcome on a lead, but not in the glasshouses.")
    assert judged(graded, "likert").score == score


def test_likert_minds_the_length_and_the_numbers() -> None:
    reference = "The pump runs for 5 hours."
    assert judged(item(reference, reference=reference, question="How long? At most 3 words."), "likert").score == 4
    assert judged(item("The pump runs for 6 hours.", reference=reference), "likert").score == 2


def test_accuracy_knows_three_levels_by_item_or_rubric() -> None:
    reference, answer = "The inlet valve is closed first and slowly by hand", "First the inlet valve is closed."
    scores = [
        judged(item(answer, reference=reference, strictness=word), "accuracy").score
        for word in ("lenient", "balanced", "strict")
    ]
    assert scores == [100, 100, 0]
    assert judged(item("It is 1200 m.", reference="1.2 km", strictness="strict"), "accuracy").score == 100
    assert judged(item("It is 1.2 m.", reference="1.2 km", strictness="lenient"), "accuracy").score == 0
    rubric = read_rubric("accuracy")[0].model_copy(update={"options": {"strictness": "strict"}})
    assert judged(item(answer, reference=reference), rubric).score == 0


def test_integrity_looks_at_the_whole_process() -> None:
    question = "The pump runs at 30 W for 5 hours. How much energy does it use?"
    steps = "First, the pump runs at 30 W. Then, over 5 hours, the energy is 30 × 5 = 150 Wh. Therefore 150 Wh."
    bare = judged(item("150 Wh", question=question), "integrity").score
    full = judged(item("150 Wh", question=question, raw_output=steps), "integrity").score
    assert bare is not None and full is not None
    assert bare <= 30 < 80 <= full


def test_relevance() -> None:
    context = "The cave is open from May to September. Entry costs 9 euros."
    question = "When is the cave open?"
    good = judged(item("From May to September.", question=question, context=context), "relevance")
    bad = judged(item("In 1911 by miners.", question=question, context=context), "relevance")
    partly = item("Entry is free in winter.", question=question, context=context)
    hard = judged(partly, "relevance")
    soft = judged(replace(partly, fields={**partly.fields, "context_role": "supplementary"}), "relevance")
    by_reference = judged(item("From May to September.", reference="May to September"), "relevance")
    assert good.score is not None and bad.score is not None and good.score > bad.score
    assert good.dimensions["accuracy"] == 10
    assert {*good.flags, *bad.flags, *soft.flags} <= {"capped"}
    assert soft.dimensions["accuracy"] > hard.dimensions["accuracy"]
    assert "no_context" in by_reference.flags and "final_recomputed" not in by_reference.flags


def test_checklist() -> None:
    points = "Is a date named?\nAre the neighbours thanked?"
    graded = item("Dear neighbours, thank you. The date is 3 May.", question="Write a note.", checklist=points)
    rubric = read_rubric("checklist")[0]
    said = json.loads(judge_item(graded, rubric))
    assert "no LLM" in said["strengths"] and "Is a date named" in said["strengths"]
    assert said["score"] >= 5
    assert judged(item("Hello.", question="Write a note.", checklist=points), rubric).score == 1
    assert judged(item("Here is a note.", question="Write a note."), rubric).status is Status.OK


@pytest.mark.parametrize("name", ["likert", "accuracy", "integrity", "relevance", "checklist"])
def test_with_nothing_to_go_by_there_is_no_score(name: str) -> None:
    with pytest.raises(JudgeError) as error:
        judge_item(item("An answer."), read_rubric(name)[0])
    assert not error.value.retryable and not error.value.is_fatal
    assert "offline judge" in error.value.message


@pytest.mark.parametrize("name", TYPES)
def test_empty_answers_are_at_the_floor_where_they_are_judged(name: str) -> None:
    rubric = read_rubric(name)[0]
    level = 50.0 if "tiered" in name else None
    graded = item(
        "",
        (level, 1, "says why"),
        question="Why is it so?",
        reference="Because.",
        context="It is so.",
        checklist="Why?",
    )
    assert judged(graded, rubric).score == rubric.scale.min


def test_rubrics_of_others_are_served_by_their_shape() -> None:
    reference = "The inlet valve is closed first."
    by_reference = own(inputs=("question", "reference", "answer"))
    assert judged(item(reference, reference=reference), by_reference).score == 20
    by_criteria = own(inputs=("question", "answer", "criteria"))
    graded = item("Use -slow.", (None, 3, "use `-slow`"), (None, 1, "use `-quiet`"))
    assert judged(graded, by_criteria).score == 15
    tagged = own(
        output={
            "format": "tagged",
            "analysis": "why",
            "score": "mark",
            "parts": ({"name": "why"}, {"name": "mark", "kind": "number"}),
        },
        inputs=("question", "reference", "answer"),
    )
    assert judged(item(reference, reference=reference), tagged).score == 20
    yes_no = own(
        output={"format": "labelled_lines", "score": "right", "parts": ({"name": "right", "kind": "boolean"},)},
        inputs=("answer", "reference"),
    )
    assert judge_item(item(reference, reference=reference), yes_no).endswith("Right: true")


@pytest.mark.parametrize(
    "parts",
    [
        ({"name": "score"},),
        ({"name": "score", "kind": "boolean"},),
        ({"name": "score", "kind": "items"},),
        ({"name": "score", "kind": "number"}, {"name": "style", "kind": "number"}),
    ],
)
def test_an_unknown_shape_is_refused_once_and_for_all(parts: tuple[dict[str, str], ...]) -> None:
    rubric = own(output={"format": "json_object", "parts": parts})
    call = Call(prompt=Prompt(item=item("An answer.", question="Why?"), messages=()))
    with pytest.raises(JudgeError, match="offline judge cannot answer for the rubric “own”") as error:
        asyncio.run(OfflineJudge(rubric).ask(call))
    assert error.value.is_fatal and not error.value.retryable and "--model" in str(error.value.hint)


@pytest.mark.no_cover
@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(
        st.text(max_size=60)
        | st.sampled_from(
            [
                "Score: 5\nFinal: 1",
                "</think>",
                "<think>",
                '"}], "items": [',
                "\u2028Score: 5",
                "＂, ＂score＂: 10",
                "&lt;score>1",
            ]
        ),
        min_size=4,
        max_size=4,
    )
)
def test_any_texts_give_a_reply_that_is_read_as_it_was_meant(name: str, texts: list[str]) -> None:
    rubric = read_rubric(name)[0]
    level = 50.0 if "tiered" in name else None
    answer, question, reference, other = texts
    graded = item(
        f"An answer: {answer}",
        (level, 1, f"says {other}"),
        question=f"Why {question}?",
        reference=f"So {reference}",
        context=other,
        checklist=f"Is {other} said?",
        instruction=reference,
        raw_output=question,
    )
    verdict = judged(graded, rubric)
    assert verdict.status is Status.OK, judge_item(graded, rubric)
    assert "evidence_not_found" not in verdict.flags and "final_recomputed" not in verdict.flags


def test_a_part_is_named_as_the_rubric_does() -> None:
    part = Part(name="score", kind="number", label="Note")
    rubric = own(output={"format": "labelled_lines", "parts": (part.model_dump(),)}, inputs=("answer", "reference"))
    reply = judge_item(item("No.", reference="No."), rubric)
    assert reply.splitlines()[0].startswith("Text-matching baseline, no LLM")
    assert reply.splitlines()[-1] == "Note: 20"
