"""Writes the one block of a prompt that says in which form to reply, and the line that asks again for it."""

from __future__ import annotations

from grader.records import Verdict
from grader.rubric import Rubric


def reply_form(rubric: Rubric) -> str:
    """Return the format block that ends every prompt (RUBRICS, common rule 5)."""
    return f"Reply in exactly this form, with nothing before or after it:\n{_form(rubric)}"


def reask_line(verdict: Verdict, rubric: Rubric) -> str:
    """Return what the judge is told after a reply that cannot count: what was wrong, and the form wanted."""
    return f"{verdict.reason} Judge the same answer once more and reply in exactly this form:\n{_form(rubric)}"


def _form(rubric: Rubric) -> str:
    output = rubric.output
    return (
        f"<{output.analysis}>\nyour reasons\n</{output.analysis}>\n"
        f"<{output.score}>\none number from {rubric.scale.min:g} to {rubric.scale.max:g}\n</{output.score}>"
    )
