"""Which parts of a rubric an expert may decide, as rows of plain values; reads and writes no workbook itself.

The writer of a Rubric sheet takes rows from here, and its reader gives values back, so that both agree by being one.
An empty value stands for what the rubric type says itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from grader.records import format_number
from grader.rubric import Part, Rubric

SHEET_NAME = "Rubric"
TYPE_LABEL = "Rubric type"
SETTINGS_HEADER = ("Setting", "Value")
EVERY_DIMENSION = "all"
"""Stands in the table of bands for those that serve every dimension."""

Kind = Literal["text", "number", "numbers", "names"]
"""What a value is: text, one number, numbers or names behind one another."""

_FIXED_SCALE_RULES = frozenset({"relevance"})
"""Rules whose arithmetic knows its scale (RUBRICS, relevance), so that no other can be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value that an expert may decide."""

    label: str
    help: str
    path: tuple[str, ...]
    """Where it stands in the rubric: `("scale", "min")`."""
    kind: Kind = "text"
    choices: tuple[str, ...] = ()
    """What it may be, where that is one of a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of values that an expert may decide."""

    name: Literal["dimensions", "aspects", "bands", "points"]
    title: str
    help: str
    header: tuple[str, ...]


def settings_of(rubric: Rubric) -> tuple[Setting, ...]:
    """Return the settings of a rubric in the order in which its sheet shows them, without its type."""
    return (
        Setting(label="Title", help="What the scores are called in reports.", path=("title",)),
        Setting(label="Description", help="What is judged, for whoever opens this file.", path=("description",)),
        *(() if has_fixed_scale(rubric) else _SCALE),
        *(_option(name, rubric) for name, value in rubric.options.items() if isinstance(value, (str, int, float))),
        Setting(
            label="Instructions to the judge",
            help="Anything the judge should know or mind, in any language. It is added to every prompt.",
            path=("instructions",),
        ),
        Setting(
            label="Language of the reasons",
            help="In which language the judge gives its reasons, such as German or 日本語. Empty: it chooses.",
            path=("language",),
        ),
        Setting(
            label="Silence checks",
            help="Rules of grader check that should say nothing here, with commas between them.",
            path=("silenced",),
            kind="names",
        ),
    )


_SCALE = (
    Setting(label="Lowest score", help="Where the scale starts.", path=("scale", "min"), kind="number"),
    Setting(label="Highest score", help="Where the scale ends.", path=("scale", "max"), kind="number"),
    Setting(label="Step", help="1 for whole numbers only, 0.5 for halves too.", path=("scale", "step"), kind="number"),
    Setting(
        label="Scores to choose from",
        help="Offered for your own score in the graded workbook, with semicolons between them.",
        path=("scale", "choices"),
        kind="numbers",
    ),
)


def _option(name: str, rubric: Rubric) -> Setting:
    choices = rubric.option_choices.get(name, ())
    allowed = f"One of: {', '.join(choices)}. " if choices else ""
    return Setting(
        label=name.replace("_", " ").capitalize(),
        help=f"{allowed}A column of this name on the Criteria sheet decides for single questions.",
        path=("options", name),
        kind="text" if isinstance(rubric.options[name], str) else "number",
        choices=choices,
    )


def tables_of(rubric: Rubric) -> tuple[Table, ...]:
    """Return the tables of a rubric in the order in which its sheet shows them."""
    dimensions = Table(
        name="dimensions",
        title="Dimensions",
        help="What the judge gives a number for. Their names and scales are part of the rubric type.",
        header=("Dimension", "From", "To", "What the judge looks at"),
    )
    aspects = Table(
        name="aspects",
        title="What the judge looks at",
        help="Before it gives its number. Change, add or take away lines.",
        header=("Aspect", "What the judge asks itself"),
    )
    bands = Table(
        name="bands",
        title="What the numbers mean",
        help="The judge is shown these lines. Change the words, or divide the scale otherwise.",
        header=("Band", "From", "To", "What an answer there is like"),
    )
    if rubric.dimensions:
        of_dimensions = f"Write a dimension's name instead of “{EVERY_DIMENSION}” for lines that hold for it alone."
        bands = Table(name="bands", title=bands.title, help=f"{bands.help} {of_dimensions}", header=_DIMENSION_BANDS)
    points = Table(
        name="points",
        title="Points of the levels",
        help="What each criterion met counts. Empty: as much as its level is called.",
        header=("Level", "Points each"),
    )
    has_bands = bool(rubric.bands) or any(part.bands for part in rubric.dimensions)
    wanted = (
        (dimensions, bool(rubric.dimensions)),
        (aspects, bool(rubric.aspects)),
        (bands, has_bands),
        (points, "points" in rubric.options),
    )
    return tuple(table for table, is_wanted in wanted if is_wanted)


_DIMENSION_BANDS = ("Bands of", "From", "To", "What an answer there is like")


def has_fixed_scale(rubric: Rubric) -> bool:
    """Return whether the rubric's arithmetic allows no other scale."""
    return rubric.rule in _FIXED_SCALE_RULES


def setting_value(setting: Setting, rubric: Rubric) -> str | float | None:
    """Return what a rubric says for a setting, as a cell shows it; `None` for nothing."""
    value: Any = rubric
    for key in setting.path:
        value = value.get(key) if isinstance(value, Mapping) else getattr(value, key)
    if setting.kind == "numbers":
        return "; ".join(map(format_number, value)) or None
    if setting.kind == "names":
        return ", ".join(value) or None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, (str, int, float)) and value != "" else None


def table_rows(table: Table, rubric: Rubric) -> list[tuple[str | float | None, ...]]:
    """Return the rows that a rubric gives a table, as its cells show them."""
    make: Mapping[str, Callable[[Rubric], list[tuple[str | float | None, ...]]]] = {
        "dimensions": lambda rubric: [_dimension_row(part) for part in rubric.dimensions],
        "aspects": lambda rubric: [(aspect.name, aspect.text) for aspect in rubric.aspects],
        "bands": _band_rows,
        "points": _points_rows,
    }
    return make[table.name](rubric)


def _dimension_row(part: Part) -> tuple[str | float | None, ...]:
    low, high = (part.scale.min, part.scale.max) if part.scale else (0.0, 0.0)
    return (part.name, _plain(low), _plain(high), part.description)


def _band_rows(rubric: Rubric) -> list[tuple[str | float | None, ...]]:
    owners = [(EVERY_DIMENSION, rubric.bands), *((part.name, part.bands) for part in rubric.dimensions)]
    return [
        (owner if rubric.dimensions else number, _plain(band.min), _plain(band.max), band.text)
        for owner, bands in owners
        for number, band in enumerate(bands, start=1)
    ]


def _points_rows(rubric: Rubric) -> list[tuple[str | float | None, ...]]:
    given = {float(level): points for level, points in rubric.options.get("points", {}).items()}
    levels = sorted({25.0, 50.0, 100.0, *given})
    return [(_plain(level), given.get(level)) for level in levels]


def _plain(value: float) -> float:
    return int(value) if float(value).is_integer() else value
