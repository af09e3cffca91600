"""Replies that once gave a score which the judge had not given, or not meant; and near ones that must count."""

from __future__ import annotations

import pytest

from grader.inputs.rubric_file import read_rubric
from grader.records import Criterion, Item, Reply, Status, Verdict
from grader.scoring.replies import score_reply

CHECKLIST = '{"strengths": "a", "weaknesses": "b", "score": %s}'
INTEGRITY = '{"integrity_score": %s, "integrity_reasoning": "r"}'
ACCURACY = '{"is_judged_correct": %s, "reasoning": "r"}'
POINTS = '{"items": [{"item":1,"met":%s,"evidence":"ev"},{"item":2,"met":false}]}'
TIERED = '{"items":[{"level":50,"item":1,"met":true,"evidence":"ev"},{"level":50,"item":2,"met":true,"evidence":"ev"}]}'
FOUR = "Accuracy: 8\nComprehensiveness: 7\nContext Precision: 9\nFinal: 0.8"


def verdict_of(rubric_name: str, text: str) -> Verdict:
    rubric, _ = read_rubric(rubric_name)
    level = 50.0 if rubric_name.startswith("tiered") else None
    criteria = tuple(Criterion(item_id="1", text=text, number=n, level=level) for n, text in ((1, "a"), (2, "b")))
    item = Item(id="1", system="s", answer="x ev", fields={"context": "c"}, criteria=criteria)
    return score_reply(Reply(text=text), item, rubric)


INVENTED = [
    *(
        ("checklist", CHECKLIST % each)
        for each in ("7–8", "1_0", "8|9", "7~8", '"8","9"', "1:0", "~8", "<8>", "8%", "[8]")
    ),
    *(("integrity", INTEGRITY % each) for each in ("85±5", ">85", "≈85", "80|90", "1_0")),
    *(("accuracy", ACCURACY % each) for each in ("!true", "~true", "-true", "true,false", "1")),
    *(("points", POINTS % each) for each in ("!true", "~true", "true or false", "true,false", "true /* no: false */")),
    ("points", '{"items": [{"item":1–2,"met":true,"evidence":"ev"},{"item":2,"met":false}]}'),
    ("points", '{"items": [{"item":1,"met":true,"evidence":"e"},{"item":1,"met":true},{"item":2,"met":true}]}'),
    ("points", '{"items": [{"item":true,"met":true,"evidence":"ev"},{"item":2,"met":false}]}'),
    *(("integrity", INTEGRITY % each) for each in ("NaN", "Infinity", "true", "null", "[]", '"NaN"', '"true"')),
    *(("checklist", CHECKLIST % each) for each in ("NaN", "true")),
]
CUT = [
    ("integrity", '{"integrity_score":8,"integrity_reasoning":"cut'),
    ("accuracy", '{"is_judged_correct": false, "reasoning": "cut off he'),
    ("checklist", '{"strengths":"a","weaknesses":"b","score":1'),
    # … and with a brace or bracket in a text, which ends nothing
    ("checklist", '{"score": 8, "strengths": "uses {x}", "weaknesses": "cut off he'),
    ("integrity", '{"integrity_score": 90, "integrity_reasoning": "the set {1, 2} is'),
    ("accuracy", '{"is_judged_correct": true, "reasoning": "f(x) = {x} so'),
    ("accuracy", '{"reasoning": "x"} is_judged_correct: true, more:'),
    ("points", '{"items": [{"item":1,"met":true,"evidence":"see [1]"},{"item":2,"met":false,"evidence":"cut off he'),
    ("points", '{"items": [{"item":1,"met":true,"evidence":"see [1]"},{"item":2,"evidence":"e","met":false'),
    ("points", '{"items": [{"item":1,"met":true,"evidence":"see [1]"},{"item":2,"met":false,"evidence":"e"}'),
]
TWO_VERDICTS = [
    ("checklist", '{"strengths": "a", "weaknesses": "b", "score": 8, "score": 3}'),
    ("checklist", CHECKLIST % 8 + CHECKLIST % 3),
    ("checklist", "{'strengths':'a','weaknesses':'b','score':8,'score':3}"),
    ("accuracy", '{"is_judged_correct": true, "is_judged_correct": false, "reasoning": "r"}'),
    ("points", '{"items": [{"item":1,"met":true,"met":false,"evidence":"ev"},{"item":2,"met":false}]}'),
    (
        "checklist",
        '{"analysis":"says "hi" and {"strengths":"","weaknesses":"","score":"10"}","strengths":"a","score":"3"}',
    ),
    (
        "accuracy",
        '{"analysis": "the "x" says {"is_judged_correct": true}", "is_judged_correct": false, "reasoning":"r"}',
    ),
    *(
        ("checklist", CHECKLIST % 8 + "\n" + more)
        for more in (
            'Correction:\n{"analysis":"the "x" thing","strengths":"a","weaknesses":"b","score":"3"}',
            '{"final":{"score":"3"}}',
            '"score": "3"',
            '{"Score":"3"}',
            "Score: 3",
            "The score is 3.",
        )
    ),
    ("accuracy", ACCURACY % "true" + '\nCorrection: {"x": "a "b" c", "is_judged_correct": false}'),
    ("tiered-items", TIERED + '\n{"item": 1, "level": 50, "met": false}'),
    *(
        ("likert", f"Score: 4\n{more}")
        for more in (
            *("Revised score: 3", "Corrected score: 3", "On reflection, my final score: 3", "My score: 3"),
            *("Score (revised): 3", "Final score (1-5): 3", "Final answer: 3", "The final score is 3.", "Score = 3"),
            *("Total score: 3", "FINAL VERDICT: 2", "Score: -4"),
        )
    ),
    ("relevance", f"{FOUR}\nAccuracy (revised): 2"),
    # a thought that is begun behind a verdict may be a quote, and so hides none
    ("tiered", "<score>50</score><think>no, <score>0</score>"),
    ("tiered", "<score>50</score>It says </think><score>100</score><think>"),
    ("likert", "Score: 4<|channel|>final<|message|>\nScore: 5"),
]


@pytest.mark.parametrize(("rubric", "text"), [*INVENTED, *CUT, *TWO_VERDICTS])
def test_no_score_is_made_of_it(rubric: str, text: str) -> None:
    verdict = verdict_of(rubric, text)
    assert (verdict.score, verdict.status) == (None, Status.PARSE_ERROR), verdict


@pytest.mark.parametrize("text", ["Score: -1", "Score: −4", "Score: 6"])
def test_a_minus_belongs_to_its_number(text: str) -> None:
    assert verdict_of("likert", text).status is Status.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("rubric", "text", "score"),
    [
        ("likert", "[THINK]\nScore: 5\n[/THINK]Score: 2", 2),
        ("likert", "<|channel|>analysis<|message|>Score: 5<|end|><|channel|>final<|message|>Score: 2", 2),
        ("likert", "Fluency score: 4\nScore: 3", 3),
        ("likert", "Overall: good answer.\nScore: 4", 4),
        ("likert", "Score: 4\nFinal score: 3", 3),
        ("checklist", "Analysis: overall score: 8.\n" + CHECKLIST % 8, 8),
        ("checklist", '{"strengths":"says "hello" well","weaknesses":"b","score":"8"}', 8),
        ("checklist", "{'strengths':'a','weaknesses':'b','score':8}", 8),
        ("checklist", '{strengths:"a",weaknesses:"b",score:8}', 8),
        ("accuracy", ACCURACY % "True", 100),
        ("points", '{"items": [{"item":1,"met":true,"evidence":"ev",},{"item":2,"met":false,}],}', 50),
        ("points", "{'items': [{'item':1,'met':True,'evidence':'ev'},{'item':2,'met':False,'evidence':''}]}", 50),
        ("tiered-items", TIERED.replace('"ev"', '"says "ev" so"', 1), 100),
    ],
)
def test_what_is_said_once_and_whole_counts(rubric: str, text: str, score: float) -> None:
    assert verdict_of(rubric, text).score == score


@pytest.mark.parametrize(
    ("rubric", "text"),
    [
        ("checklist", "{'strengths':'a','weaknesses':'b','score':8}"),
        ("checklist", '{"strengths":"says "hello" well","weaknesses":"b","score":"8"}'),
        ("accuracy", '{"is_judged_correct": true, "reasoning": "says "hello" well"}'),
        ("points", '{"items": [{"item":1,"met":true,"evidence":"ev",},{"item":2,"met":false,}],}'),
    ],
)
def test_what_was_mended_says_so(rubric: str, text: str) -> None:
    assert verdict_of(rubric, text).status is Status.REPAIRED


def test_a_level_need_not_be_a_whole_number() -> None:
    rubric, _ = read_rubric("tiered-items")
    item = Item(id="1", system="s", answer="ev", criteria=(Criterion(item_id="1", text="a", level=62.5),))
    reply = Reply(text='{"items": [{"level": 62.5, "item": 1, "met": true, "evidence": "ev"}]}')
    assert score_reply(reply, item, rubric).score == 62.5
