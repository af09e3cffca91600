"""Rules on the rubric and its template: what its file says, what they refer to, and its bands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from grader.checks.problem import Finding, Rule, Severity
from grader.checks.ranges import range_problem
from grader.checks.views import RubricView, place_of
from grader.errors import RubricError
from grader.inputs.columns import closest
from grader.records import CellRef, Criterion, Item
from grader.rubric import Band, Rubric, Scale

_LINE = re.compile(r"^\s*line (\d+)(?:, column \d+)?: ")


def find_rubric_errors(view: RubricView) -> Iterator[Finding]:
    """Find what keeps the rubric from being read, each problem of its file by itself."""
    error = view.error
    if error is None or _is_missing_template(view):
        return
    place = place_of(error, view.path)
    message = error.message.removeprefix(f"{getattr(error, 'path', None)}: ")
    lines = [line for line in message.splitlines() if line.strip()]
    if len(lines) < 2:
        number = _LINE.match(message)
        place = replace(place, cell=f"line {number[1]}") if number else place
        yield Finding(place, _LINE.sub("", _after_place(message)), error.hint or "")
        return
    for line in lines[1:]:
        number = _LINE.match(line)
        cell = f"line {number[1]}" if number else place.cell
        yield Finding(CellRef(path=place.path, sheet=place.sheet, cell=cell), _LINE.sub("", line).strip(), "")


def _after_place(message: str) -> str:
    return re.sub(r"^\S.*?\]: ", "", message)


def find_missing_template(view: RubricView) -> Iterator[Finding]:
    """Find a template that the rubric names and nobody has."""
    if view.error is not None and _is_missing_template(view):
        message = view.error.message.removeprefix(f"{getattr(view.error, 'path', None)}: ")
        number = _LINE.match(message)
        place = CellRef(path=place_of(view.error, view.path).path, cell=f"line {number[1]}" if number else None)
        yield Finding(place, _LINE.sub("", message), view.error.hint or "")


def _is_missing_template(view: RubricView) -> bool:
    return isinstance(view.error, RubricError) and "there is no template" in view.error.message


def find_unknown_rule(view: RubricView) -> Iterator[Finding]:
    """Find a rule that is none of ours and of no installed package."""
    from grader.scoring.registry import RULES as KNOWN
    from grader.scoring.registry import find_rule

    if view.rubric is not None:
        try:
            find_rule(view.rubric.rule)
        except RubricError as error:
            close = closest(KNOWN, [view.rubric.rule])
            guess = f"; the closest is {close}" if close else ""
            place = replace(_place(view), cell=_line_of(view.path, "rule"))
            yield Finding(place, f"rule: {error.message}{guess}", error.hint or "")


def _line_of(path: str, key: str) -> str | None:
    """Return the line of a rubric file on which a key stands; `None` where the rubric is no file that was named."""
    if not path.endswith((".yaml", ".yml")):
        return None
    from grader.inputs.rubric_problems import key_lines

    line = key_lines(Path(path).read_text(encoding="utf-8-sig")).get((key,))
    return f"line {line}" if line else None


def find_template_faults(view: RubricView) -> Iterator[Finding]:
    """Find templates that cannot be compiled, or that fail for an item that has everything the rubric names."""
    from grader.prompting.render import PromptRenderer

    if view.rubric is None or view.template_path is None:
        return
    try:
        renderer = PromptRenderer(view.rubric, view.template_path)
        for item in (_sample(view.rubric, is_full=True), _sample(view.rubric, is_full=False)):
            renderer.render(item)
    except RubricError as error:
        place = place_of(error, str(view.template_path))
        message = error.message.removeprefix(f"{place.path}: ")
        number = _LINE.match(message)
        cell = f"line {number[1]}" if number else None
        yield Finding(CellRef(path=place.path, cell=cell), _LINE.sub("", message), error.hint or "")


def _sample(rubric: Rubric, *, is_full: bool) -> Item:
    """Return an item as the template may meet it: with a text for every input, or with the optional ones blank."""
    names = (*rubric.inputs, *(rubric.optional_inputs if is_full else ()))
    fields = {
        name: "text" for name in names if name not in ("question", "reference", "answer", "criteria", *rubric.options)
    }
    level = 100.0 if rubric.needed_layout == "tiered" else None
    return Item(
        id="1",
        system="check",
        question="text",
        reference="text",
        answer="text",
        criteria=(Criterion(item_id="1", text="text", level=level),),
        fields=fields,
    )


def find_band_gaps(view: RubricView) -> Iterator[Finding]:
    """Find bands that leave part of the scale without words, or give two to one score."""
    if view.rubric is None:
        return
    own = [(f"of {part.name}", part.scale, part.bands) for part in view.rubric.dimensions if part.scale and part.bands]
    shared = next((part.scale for part in view.rubric.dimensions if part.scale), view.rubric.scale)
    for name, scale, bands in (("", shared, view.rubric.bands), *own):
        problem = _band_problem(scale, bands)
        if problem:
            yield Finding(_place(view), f"the bands {name}".strip() + f": {problem}")


def find_unknown_silenced(view: RubricView) -> Iterator[Finding]:
    """Find ids that are to be silenced and that no rule has."""
    from grader.checks.registry import RULES as ALL

    for name in view.rubric.silenced if view.rubric else ():
        if name not in ALL:
            close = closest(ALL, [name])
            guess = f"; the closest is {close}" if close else ""
            yield Finding(_place(view), f"there is no check “{name}” to silence{guess}")


def _band_problem(scale: Scale, bands: Sequence[Band]) -> str:
    if not bands:
        return ""
    ranges = sorted((band.min, band.max) for band in bands)
    low, high = ranges[0][0], max(top for _, top in ranges)
    if low > scale.min or high < scale.max:
        return f"they reach from {low:g} to {high:g}, and the scale from {scale.min:g} to {scale.max:g}"
    return range_problem(ranges, step=scale.step or 1)


def _place(view: RubricView) -> CellRef:
    return CellRef(path=view.path, sheet=view.sheet)


RULES = (
    Rule(
        id="rubric-file",
        severity=Severity.ERROR,
        part="rubric",
        find=find_rubric_errors,
        finds="A rubric that does not exist, or whose file or Rubric sheet says something that is not allowed.",
        why="Without a rubric nothing can be judged.",
        fix="Correct the rubric; `grader rubrics` lists those there are, `grader rubrics show NAME` prints one",
    ),
    Rule(
        id="no-such-template",
        severity=Severity.ERROR,
        part="rubric",
        find=find_missing_template,
        finds="A template that the rubric names and that is neither beside it nor in a folder templates.",
        why="The template makes the prompt.",
        fix="Correct the name, or put the file beside the rubric",
    ),
    Rule(
        id="no-such-rule",
        severity=Severity.ERROR,
        part="rubric",
        find=find_unknown_rule,
        finds="A scoring rule that neither this program nor an installed package has.",
        why="The rule turns the judge's reply into a score.",
        fix="Name one of the rules there are",
    ),
    Rule(
        id="template-fails",
        severity=Severity.ERROR,
        part="rubric",
        find=find_template_faults,
        finds="A template that cannot be read, lacks a section, or names something that no item has.",
        why="It would fail for every question.",
        fix="Correct the template",
    ),
    Rule(
        id="band-gap",
        severity=Severity.WARNING,
        part="rubric",
        find=find_band_gaps,
        finds="Bands of the rubric with a gap or an overlap, or that do not cover the scale.",
        why="For a score in the gap the judge has no words, and for one in the overlap two.",
        fix="Let each band start where the one before ends, from one end of the scale to the other",
    ),
    Rule(
        id="unknown-silenced",
        severity=Severity.WARNING,
        part="rubric",
        find=find_unknown_silenced,
        finds="An id among the checks to silence that no check has.",
        why="What it was meant to silence still speaks, or a mistake hides behind it.",
        fix="Take the id from the square brackets behind a message",
    ),
)
