"""Writes the one block of a prompt that says in which form to reply, and the line that asks again for it."""

from __future__ import annotations

from grader.records import Verdict
from grader.rubric import Part, Rubric, Scale, part_label

_HEADS = {
    "tagged": "Reply in exactly this form, with nothing before or after it:",
    "json_object": "Reply with one JSON object in exactly this form, with nothing before or after it:",
    "labelled_lines": "Reply in exactly this form:",
}
_ITEM_ENTRY = '"item": 1, "met": true or false, "evidence": "a passage of the answer, or nothing"'


def reply_form(rubric: Rubric) -> str:
    """Return the format block that ends every prompt (RUBRICS, common rule 5)."""
    return f"{_language(rubric)}{_HEADS[rubric.output.format]}\n{_form(rubric)}"


def reask_line(verdict: Verdict, rubric: Rubric) -> str:
    """Return what the judge is told after a reply that cannot count: what was wrong, and the form wanted."""
    return f"{verdict.reason} Judge the same answer once more and reply in exactly this form:\n{_form(rubric)}"


def _language(rubric: Rubric) -> str:
    """Return the sentence about the language of the reasons; "" where none is wanted, or no reasons are."""
    has_reasons = any(part.kind == "text" for part in rubric.output.all_parts)
    return f"Write your reasons in this language: {rubric.language}.\n" if rubric.language and has_reasons else ""


def _form(rubric: Rubric) -> str:
    parts = rubric.output.all_parts
    if rubric.output.format == "tagged":
        return "\n".join(f"<{part.name}>\n{_wanted(part, rubric)}\n</{part.name}>" for part in parts)
    if rubric.output.format == "json_object":
        return "{" + ", ".join(f'"{part.name}": {_json_wanted(part, rubric)}' for part in parts) + "}"
    return "\n".join(
        _wanted(part, rubric) if part.kind == "text" else f"{part_label(part)}: {_wanted(part, rubric)}"
        for part in parts
    )


def _json_wanted(part: Part, rubric: Rubric) -> str:
    if part.kind == "items":
        level = '"level": 50, ' if rubric.rule == "tiered-items" else ""
        return f"[{{{level}{_ITEM_ENTRY}}}, … {_wanted(part, rubric)}]"
    return f'"{_wanted(part, rubric)}"' if part.kind == "text" else _wanted(part, rubric)


def _wanted(part: Part, rubric: Rubric) -> str:
    if part.asks:
        return part.asks
    if part.kind == "number":
        return _number_wanted(part.scale or rubric.scale)
    return "true or false" if part.kind == "boolean" else "your reasons"


def _number_wanted(scale: Scale) -> str:
    kind = "one whole number" if scale.step is not None and scale.step % 1 == 0 else "one number"
    return f"{kind} from {scale.described()}"
