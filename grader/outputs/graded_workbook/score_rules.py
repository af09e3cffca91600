"""The rules that lie over cells with scores: what an expert may enter, and the colours from low to high."""

from __future__ import annotations

from typing import Any

from grader.outputs.graded_workbook.distribution import is_closed
from grader.outputs.graded_workbook.formats import HIGH, LOW, MIDDLE
from grader.outputs.graded_workbook.names import SheetNames, quoted
from grader.records import format_number
from grader.rubric import Scale

ACCEPT = "Leave it empty to accept the judge's score."


def score_rule(scale: Scale, names: SheetNames, message: str = ACCEPT) -> dict[str, Any]:
    """Return the rule for the expert's score: the scale's values to choose from, or any number on the scale."""
    choices = scale.override_choices()
    rule: dict[str, Any] = {
        "ignore_blank": True,
        "input_title": "Your score",
        "input_message": message,
        "error_title": "Expert score",
        "error_message": f"A number from {scale.described()}, or nothing: {message}"[:255],
    }
    if not choices:
        return rule | {"validate": "decimal", "criteria": "between", "minimum": scale.min, "maximum": scale.max}
    offered = ", ".join(map(format_number, choices)) if len(choices) <= 12 else f"the values from {scale.described()}"
    # Choices are an offer where the scale allows more: then Excel asks instead of refusing.
    return rule | {
        "validate": "list",
        "source": f"={quoted(names.lists)}!$A$1:$A${len(choices)}",
        "error_type": "stop" if is_closed(scale) else "warning",
        "error_message": f"Usual scores: {offered}. {message}"[:255],
    }


def three_colours(scale: Scale) -> dict[str, object]:
    """Return the rule that colours scores from the scale's lowest to its highest."""
    points = {"min": scale.min, "mid": (scale.min + scale.max) / 2, "max": scale.max}
    colours = {"min": LOW, "mid": MIDDLE, "max": HIGH}
    rule: dict[str, object] = {"type": "3_color_scale"}
    for point, value in points.items():
        rule |= {f"{point}_type": "num", f"{point}_value": value, f"{point}_color": colours[point]}
    return rule
