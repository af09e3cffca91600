"""The items of a report as data for its table: texts once, quotes marked in the answers; decides no score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from grader.outputs.graded_workbook.wording import criterion_label, flag_words
from grader.outputs.report.contents import FindSpans, ReportedRun
from grader.outputs.report.shown_text import cut_mark, cut_text, fit_text
from grader.outputs.results_jsonl import ExpertView, result_record
from grader.outputs.review_queue import review_reasons
from grader.records import Grade, Item

Segment = str | list[Any]
"""A stretch of an answer: plain text, or the text with the places of the criteria that quote it."""


class ItemData:
    """Gathers the items of all runs; a question that several systems answered stands in it once."""

    def __init__(self, find_spans: Callable[[str], FindSpans], limit: int) -> None:
        self._find_spans, self._limit = find_spans, limit
        self._places: dict[Any, int] = {}
        self.questions: list[dict[str, Any]] = []
        self.items: list[dict[str, Any]] = []

    def add_run(self, place: int, run: ReportedRun) -> None:
        """Add every grade of a run, the `place`-th of the report."""
        for grade in run.grades:
            view = run.views.of(grade)
            self.items.append(
                {"run": place, "why": list(review_reasons(grade, run.views.queue)), **self._record(grade, view)}
            )

    def _record(self, grade: Grade, view: ExpertView) -> dict[str, Any]:
        record = result_record(grade, view)
        record["answer"] = grade.item.answer
        kept: dict[str, Any] = {
            "system": fit_text(grade.item.system),
            "q": self._question(grade.item),
            "status": record["status"],
            "judge": record["score"],
            "final": record["final_score"],
            "answer": marked_answer(grade.item.answer, record["items"], self._find_spans, self._limit),
        }
        more = {
            "sample": grade.sample if grade.sample > 1 else None,
            "expert": record["expert_score"],
            "flags": [flag_words(flag) for flag in grade.verdict.flags],
            "analysis": self._text(grade.verdict.analysis),
            "reason": self._text(grade.verdict.reason),
            "dimensions": record["dimensions"],
            "verdicts": [self._verdict(each) for each in record["items"]],
            "experts": [self._expert(each) for each in view.experts],
        }
        return kept | {name: value for name, value in more.items() if value not in (None, [], {}, "")}

    def _verdict(self, record: dict[str, Any]) -> dict[str, Any]:
        kept = {
            "label": criterion_label(record["level"], record["number"]),
            "met": record["met"],
            "evidence": self._text(record["evidence"]),
            "expert": record.get("expert_met"),
            "comment": self._text(record.get("expert_comment") or ""),
        }
        return {name: value for name, value in kept.items() if value not in (None, "")}

    def _expert(self, record: Any) -> dict[str, Any]:
        said = [
            f"{criterion_label(each['level'], each['number'])} {_met_words(each['met'])}{_quoted(each['comment'])}"
            for each in record["criteria"]
        ]
        return {
            "name": fit_text(record["reviewer"]),
            "score": record["score"],
            "comment": self._text(record["comment"]),
            "said": [self._text(words) for words in said],
            "how": ", ".join(word for word in ("blind", "stale") if record[word]),
        }

    def _question(self, item: Item) -> int:
        key = (item.id, item.question, item.reference, item.group, item.criteria)
        if key not in self._places:
            self._places[key] = len(self.questions)
            self.questions.append(
                {
                    "id": fit_text(item.id),
                    "question": self._text(item.question),
                    "reference": self._text(item.reference),
                    "group": fit_text(item.group or ""),
                    "criteria": [
                        [criterion_label(each.level, each.number), self._text(each.text), each.points]
                        for each in item.criteria
                    ],
                }
            )
        return self._places[key]

    def _text(self, text: str) -> str:
        return fit_text(cut_text(text, self._limit))


def marked_answer(
    answer: str, verdicts: Sequence[dict[str, Any]], find_spans: Callable[[str], FindSpans], limit: int
) -> list[Segment]:
    """Return an answer in segments, those marked that a met criterion quotes, with the places of these criteria."""
    shown = answer[:limit]
    quotes = [(place, each["evidence"]) for place, each in enumerate(verdicts) if each["met"] and each["evidence"]]
    spans: list[tuple[int, int, int]] = []
    if quotes:
        find = find_spans(shown)
        spans = [(*span, place) for place, evidence in quotes for span in find(evidence)]
    segments: list[Segment] = list(_segments(shown, spans))
    if len(answer) > limit:
        segments.append(" " + cut_mark(len(answer) - limit))
    return segments


def _segments(text: str, spans: Sequence[tuple[int, int, int]]) -> Iterator[Segment]:
    """Cut a text where a quote begins or ends; quotes may overlap."""
    edges = sorted({0, len(text), *(edge for begin, end, _ in spans for edge in (begin, end))})
    for begin, end in pairwise(edges):
        places = sorted({place for first, last, place in spans if first <= begin and end <= last})
        piece = fit_text(text[begin:end])
        yield [piece, places] if places else piece


def _met_words(met: bool | None) -> str:
    return "" if met is None else "met" if met else "not met"


def _quoted(comment: str) -> str:
    return f" “{comment}”" if comment else ""
