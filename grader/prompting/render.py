"""Renders an item as the messages for a judge, by a rubric's template in a sandbox; sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from grader.assets import asset_dirs
from grader.errors import GraderError, RubricError
from grader.prompting.data_blocks import (
    MARKER_GUARDS,
    Guard,
    block,
    closing,
    delimiter_guard,
    neutralise,
    opening,
    reply_guards,
)
from grader.prompting.reply_form import reask_line, reply_form
from grader.prompting.sandbox import MAX_SECTION_CHARACTERS, TemplateFolders, TemplateSandbox
from grader.prompting.template_faults import template_fault
from grader.records import Criterion, Item, Message, Prompt, Reply, Verdict, format_number
from grader.rubric import Band, Rubric, part_label

T = TypeVar("T")
_SECTIONS = ("system", "user")
_OWN = ("question", "reference", "answer", "criteria")


class PromptRenderer:
    """Renders prompts for one rubric; the template is compiled once.

    A template has the Jinja blocks `system` and `user`. It sees `blocks.NAME` (a text of the item, fenced), `open.NAME`
    and `close.NAME` (the delimiters alone), `levels` and `criteria` (neutralised texts, to stand between delimiters),
    `first_level` (which level stands first: `highest`), `has.NAME`, `options.NAME`, and `rubric` (title, instructions,
    scale, aspects, bands).

    Raises:
        RubricError: the template does not exist, cannot be compiled, or lacks a section.
    """

    def __init__(self, rubric: Rubric, template_path: Path, *, lowest_level_first: bool = False) -> None:
        self._rubric, self._lowest_level_first = rubric, lowest_level_first
        self._path = template_path
        folders = [template_path.parent, *asset_dirs("templates")]  # includes of ours serve all
        self._sandbox = TemplateSandbox(TemplateFolders(template_path.name, folders))
        self._template = self._guarded(lambda: self._sandbox.get_template(template_path.name))
        missing = [name for name in _SECTIONS if name not in self._template.blocks]
        if missing:
            raise RubricError(f"the template has no {{% block {missing[0]} %}}", path=template_path)
        self._form = reply_form(rubric)
        self._shown_rubric = _rubric(rubric)

    def render(self, item: Item) -> Prompt:
        """Return the prompt for `item`, with the nonce still a placeholder."""
        context = {**_context(item, self._rubric), "rubric": self._shown_rubric}
        if self._lowest_level_first:  # for who wants to know whether the order moves a judge
            context |= {"levels": context["levels"][::-1], "first_level": "lowest"}
        system, user = (self._section(name, context) for name in _SECTIONS)
        messages = ({"role": "system", "content": system}, {"role": "user", "content": f"{user}\n\n{self._form}"})
        return Prompt(item=item, messages=messages)

    def reask(self, prompt: Prompt, reply: Reply, verdict: Verdict) -> Prompt:
        """Return `prompt` continued by the judge's reply and one line that says what was wrong with it."""
        said = (Message(role="assistant", content=reply.text),) if reply.text.strip() else ()
        again = Message(role="user", content=reask_line(verdict, self._rubric))
        return Prompt(item=prompt.item, messages=(*prompt.messages, *said, again))

    def _section(self, name: str, context: Mapping[str, Any]) -> str:
        def render() -> str:
            self._sandbox.start()
            return self._joined(self._template.blocks[name](self._template.new_context(dict(context))))

        return self._guarded(render).strip()

    def _joined(self, pieces: Iterable[str]) -> str:
        kept, length = [], 0
        for piece in pieces:
            length += len(piece)
            if length > MAX_SECTION_CHARACTERS:
                raise RubricError(
                    f"the template renders to more than {MAX_SECTION_CHARACTERS:,} characters", path=self._path
                )
            kept.append(piece)
        return "".join(kept)

    def _guarded(self, action: Callable[[], T]) -> T:
        try:
            return action()
        except GraderError:
            raise
        except Exception as error:  # a template is a program of the user's: whatever it raises is its fault
            raise template_fault(error, self._path) from error


def _context(item: Item, rubric: Rubric) -> dict[str, Any]:
    """Return what a template sees of an item: plain texts, numbers, lists and mappings only."""
    texts = {name: item.fields.get(name, "") for name in (*rubric.inputs, *rubric.optional_inputs) if name not in _OWN}
    texts |= {"question": item.question, "reference": item.reference, **item.fields, "answer": item.answer}
    names = (*texts, "criteria")
    guards = (*reply_guards(rubric.output), delimiter_guard(names), *MARKER_GUARDS)
    criteria = [(criterion, neutralise(criterion.text, guards)) for criterion in item.criteria]
    return {
        "blocks": {name: block(name, neutralise(text, guards)) for name, text in texts.items()},
        "has": {name: bool(text.strip()) for name, text in texts.items()},
        **_delimiters(names),
        "criteria": [{"number": criterion.number, "text": text} for criterion, text in criteria],
        "levels": _levels(criteria, rubric),
        "first_level": "highest",
        "options": _options(item, rubric, guards),
    }


@lru_cache(maxsize=64)
def _delimiters(names: tuple[str, ...]) -> dict[str, dict[str, str]]:
    return {"open": {name: opening(name) for name in names}, "close": {name: closing(name) for name in names}}


def _options(item: Item, rubric: Rubric, guards: Sequence[Guard]) -> dict[str, str]:
    """Return the rubric's options that are words, an item's own word, neutralised, in place of the rubric's."""
    options = {name: value for name, value in rubric.options.items() if isinstance(value, str)}
    own = {name: neutralise(item.fields.get(name, "").strip().casefold(), guards) for name in options}
    return {name: own[name] or value for name, value in options.items()}


def _rubric(rubric: Rubric) -> dict[str, Any]:
    return {
        "title": rubric.title,
        "instructions": rubric.instructions,
        "scale": {"min": format_number(rubric.scale.min), "max": format_number(rubric.scale.max)},
        "aspects": [aspect.model_dump() for aspect in rubric.aspects],
        "bands": _bands(rubric.bands),
        "dimensions": [
            {"label": part_label(part), "description": part.description, "bands": _bands(part.bands)}
            for part in rubric.dimensions
        ],
    }


def _bands(bands: Iterable[Band]) -> list[dict[str, str]]:
    return [{"range": _range(band), "text": band.text} for band in bands]


def _range(band: Band) -> str:
    low, high = format_number(band.min), format_number(band.max)
    return low if low == high else f"{low}–{high}"


def _levels(criteria: list[tuple[Criterion, str]], rubric: Rubric) -> list[dict[str, Any]]:
    """Return the levels, highest first, each with its criteria in the expert's order."""
    tiered = [(criterion, text) for criterion, text in criteria if criterion.level is not None]
    ordered = sorted(tiered, key=lambda pair: -(pair[0].level or 0))
    return [
        {
            "level": format_number(level or 0),
            "points": format_number(rubric.level_points(level or 0)),
            "criteria": [{"number": criterion.number, "text": text} for criterion, text in pairs],
        }
        for level, pairs in groupby(ordered, key=lambda pair: pair[0].level)
    ]
