"""The offline judge's opinion where nothing says what is right: coverage of the question, the checklist, the steps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.errors import JudgeError
from grader.judging.baseline.agreement import covered
from grader.judging.baseline.opinion import BASELINE, Opinion, listed, on_scale
from grader.judging.baseline.statements import split_statements
from grader.judging.text_matching import match_criterion
from grader.judging.text_tokens import fold
from grader.records import Item
from grader.rubric import Rubric

_PROCESS_NOTICE = (
    f"{BASELINE} The conditions and parts of the question were looked up in what was written, and words that join "
    "steps were counted."
)
_POINTS_NOTICE = f"{BASELINE} The points of the checklist and the words of the query were looked up in the answer."

_ENOUGH = 0.5
"""Share of a condition's words from which it counts as taken up: nobody repeats a question word for word."""

_ENOUGH_STEPS = 4
_STEP_SHARE = 0.3
_CHECKLIST_SHARE = 0.8

_STEP = re.compile(
    r"\b(?:first|second|third|then|next|finally|therefore|thus|hence|because|since|so that|step|given that|it follows"
    r"|zuerst|zunächst|dann|danach|daher|deshalb|weil|also|folglich|schritt|somit)\b"
    r"|まず|次に|そして|したがって|よって|なぜなら|ため、|最後に|因为|因此|所以|首先|然后|接着|最后|由于|步骤"
    r"|(?m:^\s*(?:\d{1,2}[.)]|[-*•])\s)|[①-⑳]|=|→|⇒|=>"
)


def judge_process(item: Item, rubric: Rubric) -> Opinion:
    """Return how completely the way to the answer takes up the question, on the rubric's scale."""
    asked = _asked(item, item.fields.get("instruction", ""), item.question)
    process = f"{item.fields.get('raw_output', '')}\n{item.answer}"
    shares = [(part, min(1.0, match_criterion(part, process).coverage / _ENOUGH)) for part in asked]
    coverage = sum(share for _, share in shares) / len(shares)
    steps = len(_STEP.findall(fold(process)))
    share = (1 - _STEP_SHARE) * coverage + _STEP_SHARE * min(1.0, steps / _ENOUGH_STEPS)
    reasons = [
        f"Of {len(shares)} conditions and parts, {coverage:.0%} are taken up; words that join steps: {steps}.",
        listed("Passed over", [part for part, share in shares if share < _ENOUGH]),
    ]
    return Opinion(
        notice=_PROCESS_NOTICE,
        values={rubric.output.score: on_scale(share, rubric.scale)},
        reasons=tuple(filter(None, reasons)),
    )


def judge_checklist(item: Item, rubric: Rubric) -> Opinion:
    """Return the share of the checklist that the answer meets, with the coverage of the query, on the scale."""
    points = split_checklist(item.fields.get("checklist", ""))
    shares = [min(1.0, match_criterion(point, item.answer).coverage / _ENOUGH) for point in points]
    met = [point for point, share in zip(points, shares, strict=True) if share == 1]
    missed = [point for point in points if point not in met]
    query = covered(item.question, item.answer)
    if not points:
        _asked(item, item.question)
        share = query
    else:
        share = _CHECKLIST_SHARE * sum(shares) / len(shares) + (1 - _CHECKLIST_SHARE) * min(1.0, query / _ENOUGH)
    facts = f"{len(met)} of {len(points)} points of the checklist are met; {query:.0%} of the query is taken up."
    strengths, weaknesses = listed("Met", met), listed("Not met", missed)
    return Opinion(
        notice=_POINTS_NOTICE,
        values={rubric.output.score: on_scale(share, rubric.scale)},
        reasons=tuple(filter(None, (facts, strengths, weaknesses))),
        texts={
            "strengths": f"{facts} {strengths}".strip(),
            "weaknesses": weaknesses or "None was found by matching text.",
        },
    )


def split_checklist(text: str) -> tuple[str, ...]:
    """Return the points of a checklist, one for each line, without bullets and without what makes them questions."""
    points = (_QUESTION.sub("", piece).rstrip("?？") for line in text.splitlines() for piece in split_statements(line))
    return tuple(point for point in points if point)


_QUESTION = re.compile(
    r"^(?:does|do|did|is|are|has|have|will|would|can|should)\s+(?:the|this)\s+(?:\w+\s+)?(?:answer|response|output|reply)\s+",
    re.IGNORECASE,
)


def _asked(item: Item, *texts: str) -> Sequence[str]:
    parts = [part for text in texts for part in split_statements(text)]
    if not parts:
        raise JudgeError("the item has no question, which is all that the offline judge can go by", retryable=False)
    return parts
