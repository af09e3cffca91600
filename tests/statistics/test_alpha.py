from __future__ import annotations

import random
import sys
from typing import Literal

import krippendorff
import numpy
import pytest

from grader.statistics.alpha import krippendorff_alpha

Units = dict[str, list[list[float]]]


def drawn(seed: int, questions: int, values: list[float], raters: int = 3, missing: float = 0.2) -> Units:
    """Return two units for each question, rated by up to `raters` that often say the same."""
    source = random.Random(seed)
    units: Units = {}
    for question in range(questions):
        truths = [source.choice(values) for _ in range(2)]
        units[str(question)] = [
            [
                truth if source.random() < 0.6 else source.choice(values)
                for _ in range(raters)
                if source.random() >= missing
            ]
            for truth in truths
        ]
    return units


def reference(units: Units, level: Literal["interval", "nominal"]) -> float:
    flat = [unit for group in units.values() for unit in group]
    ratings = numpy.full((max(map(len, flat)), len(flat)), numpy.nan)
    for column, unit in enumerate(flat):
        ratings[: len(unit), column] = unit
    return float(krippendorff.alpha(reliability_data=ratings, level_of_measurement=level))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("values", "level"),
    [([1.0, 2.0, 3.0, 4.0, 5.0], "interval"), ([0.0, 25.0, 100.0], "interval"), ([0.0, 1.0], "nominal")],
)
def test_the_value_is_that_of_the_package(
    seed: int, values: list[float], level: Literal["interval", "nominal"]
) -> None:
    units = drawn(seed, 20, values)
    alpha = krippendorff_alpha(units)
    assert alpha.value == pytest.approx(reference(units, level), abs=1e-9)
    assert f"{level} level" in alpha.method and "seed" in alpha.method
    assert alpha.n == sum(len(unit) > 1 for group in units.values() for unit in group)


def test_no_digits_are_lost_far_from_zero() -> None:
    units = drawn(9, 20, [1e6 + 0.1, 1e6 + 0.2, 1e6 + 0.4])
    near = {question: [[value - 1e6 for value in unit] for unit in group] for question, group in units.items()}
    assert krippendorff_alpha(units).value == pytest.approx(krippendorff_alpha(near).value, abs=1e-7)


def test_the_interval_is_the_same_every_time_and_holds_the_value() -> None:
    units = drawn(1, 30, [1.0, 2.0, 3.0])
    alpha = krippendorff_alpha(units)
    assert alpha == krippendorff_alpha(units)
    assert alpha.low is not None and alpha.value is not None and alpha.high is not None
    assert alpha.low < alpha.value < alpha.high


def test_the_interval_holds_the_truth_19_times_of_20() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    truth, hits = krippendorff_alpha(drawn(0, 5000, values)).value, 0
    assert truth is not None
    for seed in range(1, 101):
        alpha = krippendorff_alpha(drawn(seed, 40, values))
        assert alpha.low is not None and alpha.high is not None
        hits += alpha.low <= truth <= alpha.high
    assert 88 <= hits <= 99


def test_units_of_one_question_are_drawn_together() -> None:
    twins: Units = {question: [group[0]] * 2 for question, group in drawn(2, 20, [1.0, 2.0, 3.0], missing=0).items()}
    apart: Units = {f"{question}{n}": [unit] for question, group in twins.items() for n, unit in enumerate(group)}
    together, independent = krippendorff_alpha(twins), krippendorff_alpha(apart)
    assert together.value == pytest.approx(independent.value)
    assert together.low is not None and independent.low is not None and together.low < independent.low


@pytest.mark.parametrize(
    ("units", "reason"),
    [
        ({}, "not computable: fewer than 2 items have two ratings"),
        ({"1": [[1.0]], "2": [[2.0]], "3": [[1.0, 2.0]]}, "not computable: fewer than 2 items have two ratings"),
        ({"1": [[3.0, 3.0]], "2": [[3.0, 3.0]]}, "not computable: all ratings are the same"),
        ({"1": [[3.0, 3.0]], "2": [[4.0, 4.0]]}, "interval not computable: all raters always agree"),
        ({"1": [[3.0, 3.0], [4.0, 3.0]]}, "interval not computable from one question"),
    ],
)
def test_what_cannot_be_computed_says_why(units: Units, reason: str) -> None:
    alpha = krippendorff_alpha(units)
    assert (alpha.low, alpha.high, alpha.reason) == (None, None, reason)
    assert (alpha.value is None) == reason.startswith("not computable")


def test_it_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    assert krippendorff_alpha(drawn(1, 10, [1.0, 2.0])).value is not None


def test_many_items_with_scores_of_their_own() -> None:
    source = random.Random(1)
    alpha = krippendorff_alpha({str(n): [[source.random(), source.random()]] for n in range(5000)})
    assert alpha.value == pytest.approx(0, abs=0.1)
