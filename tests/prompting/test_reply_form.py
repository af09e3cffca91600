from __future__ import annotations

import pytest

from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.prompting.reply_form import reask_line, reply_form
from grader.records import Item, Reply, Status, Verdict
from grader.scoring.replies import score_reply

RUBRIC, _ = read_rubric("tiered")


def test_the_form_of_a_tagged_rubric() -> None:
    assert reply_form(RUBRIC) == (
        "Reply in exactly this form, with nothing before or after it:\n"
        "<analysis>\nyour reasons\n</analysis>\n<score>\none number from 0 to 100\n</score>"
    )


@pytest.mark.parametrize("name", list_rubrics())
def test_the_form_names_every_part_of_the_reply(name: str) -> None:
    rubric, _ = read_rubric(name)
    form = reply_form(rubric).casefold()
    for part in rubric.output.all_parts:
        assert (part.label or part.name).replace("_", " ").casefold() in form.replace("_", " ") or part.kind == "text"


@pytest.mark.parametrize("name", list_rubrics())
def test_the_form_echoed_back_is_no_verdict(name: str) -> None:
    rubric, _ = read_rubric(name)
    verdict = score_reply(Reply(text=reply_form(rubric)), Item(id="1", system="s", answer="a"), rubric)
    assert verdict.score is None


def test_asking_again_says_what_was_wrong_and_repeats_the_form() -> None:
    line = reask_line(Verdict(status=Status.PARSE_ERROR, reason="There is no score."), RUBRIC)
    assert line.startswith("There is no score. ")
    assert line.endswith("</score>")
