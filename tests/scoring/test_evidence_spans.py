"""A quote is found in the answer where the check of evidence finds it."""

from __future__ import annotations

import pytest

from grader.records import CriterionVerdict
from grader.scoring.evidence_spans import QuotedAnswer
from grader.scoring.rules.criteria import has_invented_evidence

ANSWER = "Run “rsync -a”  first;\nthen\tlook at THE log. 漢字 ５％ of it, at the end."


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ("rsync -a", ["rsync -a"]),
        ('"rsync -a"', ["rsync -a"]),
        ("then look at the LOG", ["then\tlook at THE log"]),
        ("5% of it", ["５％ of it"]),
        ("漢字", ["漢字"]),
        ("Run … the end", ["Run", "the end"]),
        ("never said", []),
        ("", []),
        (" ... ", []),
    ],
)
def test_quotes_are_found_whatever_their_white_space_case_and_width(evidence: str, expected: list[str]) -> None:
    found = [ANSWER[begin:end] for begin, end in QuotedAnswer(ANSWER).spans(evidence)]
    assert found == expected
    verdict = CriterionVerdict(number=1, met=True, evidence=evidence)
    assert has_invented_evidence([verdict], ANSWER) is (not expected)


def test_an_empty_answer_has_no_quotes() -> None:
    assert QuotedAnswer("").spans("anything") == []
