"""A rubric at work: what it makes of items and replies, by its template and its rule; makes no call itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.plain_text import normalise
from grader.prompting.data_blocks import is_suspicious
from grader.prompting.render import PromptRenderer
from grader.records import Grade, Item, Prompt, Reply, Verdict
from grader.rubric import Rubric
from grader.scoring.registry import find_rule
from grader.scoring.replies import empty_answer_verdict, score_reply


class RubricMethod:
    """A rubric at work: its template makes the prompts, its rule makes the verdicts."""

    def __init__(self, rubric: Rubric, template_path: Path, *, model: str, judge_empty: bool = False) -> None:
        self._rubric, self._model, self._judge_empty = rubric, model, judge_empty
        find_rule(rubric.rule)  # that there is none should be known before the first call
        self._renderer = PromptRenderer(rubric, template_path)

    def verdict_without_call(self, item: Item) -> Verdict | None:
        """Return the lowest score for an answer that shows nothing (RUBRICS, common rule 3)."""
        if normalise(item.answer).strip() or self._judge_empty:
            return None
        return empty_answer_verdict(self._rubric)

    def render(self, item: Item) -> Prompt:
        """Return the prompt for `item`."""
        return self._renderer.render(item)

    def read(self, reply: Reply, item: Item) -> Verdict:
        """Return the verdict that `reply` carries."""
        return score_reply(reply, item, self._rubric)

    def reask(self, prompt: Prompt, reply: Reply, verdict: Verdict) -> Prompt:
        """Return the prompt that asks again."""
        return self._renderer.reask(prompt, reply, verdict)

    def grade(self, item: Item, sample: int, verdict: Verdict, replies: tuple[Reply, ...]) -> Grade:
        """Return the grade that the deciding verdict makes."""
        return Grade(
            item=item,
            verdict=flagged(verdict, item, self._rubric),
            rubric=self._rubric.name,
            model=self._model,
            sample=sample,
            replies=replies,
        )


def flagged(verdict: Verdict, item: Item, rubric: Rubric) -> Verdict:
    """Return the verdict, flagged where the answer speaks to the judge instead of to the question."""
    if is_suspicious(item.answer, rubric.output):
        return replace(verdict, flags=(*verdict.flags, "suspicious"))
    return verdict
