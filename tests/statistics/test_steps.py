from __future__ import annotations

import pytest

from grader.rubric import Scale
from grader.statistics.steps import score_step


@pytest.mark.parametrize(
    ("scale", "distance", "words"),
    [
        (Scale(min=1, max=5, step=1), 1, "one step of the scale (1)"),
        (Scale(min=0, max=1, step=0.1), 0.1, "one step of the scale (0.1)"),
        (Scale(min=0, max=100, choices=(0, 25, 50, 75, 100)), 25, "one step of the offered scores (25)"),
        (Scale(min=0, max=100, choices=(0, 100)), 10, "a tenth of the scale (10)"),
        (Scale(min=0, max=100, choices=(0, 25, 100)), 10, "a tenth of the scale (10)"),
        (Scale(min=0, max=100), 10, "a tenth of the scale (10)"),
    ],
)
def test_the_step(scale: Scale, distance: float, words: str) -> None:
    step = score_step(scale)
    assert (step.distance, step.words) == (distance, words)
