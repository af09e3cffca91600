"""The `Rubric`: what a rubric file may say, and nothing about how it is read or applied."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Scale(_Strict):
    """The numbers a score may take: from `min` to `max`, in steps of `step` where one is given."""

    min: float
    max: float
    step: Annotated[float, Field(gt=0)] | None = None
    choices: tuple[float, ...] = ()
    """The values offered to an expert who overrides a score; by default every step of the scale."""

    @model_validator(mode="after")
    def _check(self) -> Scale:
        if self.min >= self.max:
            raise ValueError(f"the scale's min {self.min:g} must be below its max {self.max:g}")
        outside = [value for value in self.choices if not self.contains(value)]
        if outside:
            raise ValueError(f"choices {outside} are not on the scale")
        return self

    def contains(self, value: float) -> bool:
        """Return whether `value` is on the scale; NaN never is."""
        if not self.min <= value <= self.max:
            return False
        steps = 0.0 if self.step is None else (value - self.min) / self.step
        return abs(steps - round(steps)) < 1e-9

    def described(self) -> str:
        """Return the scale in words: `0 to 100`."""
        return f"{self.min:g} to {self.max:g}"

    @property
    def two_scores(self) -> tuple[float, float] | None:
        """The only two scores there can be, low and high; `None` where there are more."""
        return (self.min, self.max) if self.override_choices() == (self.min, self.max) else None

    def override_choices(self) -> tuple[float, ...]:
        """Return the values offered for an expert's own score, lowest first; empty where any number is."""
        if self.choices:
            return tuple(sorted(self.choices))
        if self.step is None or (self.max - self.min) / self.step > 200:
            return ()
        count = round((self.max - self.min) / self.step)
        return tuple(round(self.min + i * self.step, 10) for i in range(count + 1))


class Band(_Strict):
    """A stretch of the scale and what an answer in it is like."""

    min: float
    max: float
    text: str


class Aspect(_Strict):
    """One thing that the judge looks at before it gives its number; it gets no number of its own."""

    name: Annotated[str, Field(min_length=1)]
    text: Annotated[str, Field(min_length=1)]


class Part(_Strict):
    """One thing that the judge must say."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    """Its key or tag in the reply, and its name in results.jsonl."""
    kind: Literal["text", "number", "boolean", "items"] = "text"
    label: str = ""
    """How a labelled line names it; by default the name."""
    asks: str = ""
    """What the prompt says is wanted here."""
    scale: Scale | None = None
    """For a number on a scale of its own, a dimension; by default the rubric's."""
    description: str = ""
    """What the judge looks at for this dimension."""
    bands: tuple[Band, ...] = ()
    """What the numbers of this dimension stand for, where the rubric's bands do not serve all."""


def part_label(part: Part) -> str:
    """Return how a labelled line names `part`."""
    return part.label or part.name.replace("_", " ").capitalize()


class OutputFormat(_Strict):
    """The form in which the judge must answer: its parts, and which of them carries the verdict."""

    format: Literal["tagged", "json_object", "labelled_lines"]
    score: str = "score"
    """The part that carries the verdict."""
    analysis: str = "analysis"
    """For `tagged`: the tag that carries the reasons."""
    parts: tuple[Part, ...] = ()
    """By default the reasons and a number."""

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """The parts in the order in which the judge must give them."""
        return self.parts or (Part(name=self.analysis), Part(name=self.score, kind="number"))

    def part(self, name: str) -> Part:
        """Return one of the parts of the judge's reply."""
        return next(part for part in self.all_parts if part.name == name)

    @model_validator(mode="after")
    def _check(self) -> OutputFormat:
        names = [part.name for part in self.all_parts]
        if self.score not in names:
            raise ValueError(f"score names the part “{self.score}”, but the parts are {', '.join(names)}")
        if len(set(names)) != len(names):
            raise ValueError(f"a part is named twice among {', '.join(names)}")
        return self


_CALCULATED_FROM_ZERO = frozenset({"points", "tiered", "tiered-items"})


class Rubric(_Strict):
    """One rubric type: how items are shown to a judge, and how its reply becomes a score."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    title: str
    description: str = ""
    inputs: tuple[str, ...]
    """Item fields that must be there (they may be empty): question, reference, answer, criteria …"""
    optional_inputs: tuple[str, ...] = ()
    template: str
    """Name of a template beside the rubric file or in templates/; never a path out of there."""
    output: OutputFormat
    scale: Scale
    rule: str
    """Name of the rule that turns a reply into a verdict; see `scoring.rules`."""
    layout: Literal["tiered", "points", "questions"] | None = None
    """How the criteria workbook must be laid out; by default `questions` without criteria, else what it turns out."""
    options: dict[str, Any] = Field(default_factory=dict)
    """What the rule may be told, e.g. `points: {25: 20}` for `tiered`."""
    option_choices: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """The words that an option may be, for options that are one of a few words."""
    aspects: tuple[Aspect, ...] = ()
    """What the judge looks at, in this order."""
    bands: tuple[Band, ...] = ()
    """What the numbers of the scale stand for, best first."""
    instructions: str = ""
    """Extra words to the judge, in any language, from whoever owns the criteria."""
    language: Annotated[str, Field(max_length=60, pattern=r"^[^\n\r]*$")] = ""
    """The language in which the judge gives its reasons; by default it chooses."""
    silenced: tuple[str, ...] = ()
    """Ids of the rules of `grader check` that say nothing about this workbook."""

    @field_validator("template")
    @classmethod
    def _check_template(cls, name: str) -> str:
        parts = name.split("/")
        is_path_out = any(part in ("", ".", "..", "~") or part.startswith(".") for part in parts)
        if is_path_out or re.search(r"[\\:\x00-\x1f]", name):
            raise ValueError("must be the name of a file in the rubric's own folder or in templates/, such as own.j2")
        return name

    @model_validator(mode="after")
    def _check_options(self) -> Rubric:
        for name, choices in self.option_choices.items():
            if name not in self.options or self.options[name] not in choices:
                raise ValueError(f"options.{name} must be one of {', '.join(choices)}")
        return self

    @model_validator(mode="after")
    def _check_calculated_scale(self) -> Rubric:
        if self.rule in _CALCULATED_FROM_ZERO and self.scale.min != 0:
            raise ValueError(f"scale.min must be 0: a score of the rule {self.rule} is calculated from there")
        if self.rule == "points" and self.scale.step is not None:
            raise ValueError("scale.step must be left out: a share of points can be any number")
        return self

    @model_validator(mode="after")
    def _check_points(self) -> Rubric:
        try:
            self.level_points(0)
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError("options.points must give numbers by level, as in {25: 20}") from error
        return self

    @property
    def needed_layout(self) -> Literal["tiered", "points", "questions"] | None:
        """How the criteria workbook must be laid out; `None` where its columns may decide."""
        return self.layout or (None if "criteria" in self.inputs else "questions")

    @property
    def dimensions(self) -> tuple[Part, ...]:
        """The numbers that the judge gives on scales of their own."""
        return tuple(part for part in self.output.all_parts if part.kind == "number" and part.scale is not None)

    def level_points(self, level: float) -> float:
        """Return the points for each met criterion of a tier: the level itself unless `options.points` says else."""
        points = {float(key): float(value) for key, value in self.options.get("points", {}).items()}
        return points.get(float(level), float(level))

    def part(self, name: str) -> Part:
        """Return one of the parts of the judge's reply."""
        return next(part for part in self.output.all_parts if part.name == name)
