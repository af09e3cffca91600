"""Ratings as a review makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from grader.statistics.ratings import Rating

RateAll = Callable[..., list[Rating]]


@pytest.fixture
def rate_all() -> RateAll:
    """Make ratings from `{rater: [score of item 1, of item 2, …]}`; `None` is no rating."""

    def make(
        scores: Mapping[str, list[float | None]],
        *,
        system: str = "s",
        sample: int = 1,
        criterion: tuple[float | None, int] | None = None,
        is_blind: bool = True,
    ) -> list[Rating]:
        return [
            Rating(
                system=system,
                item_id=str(number),
                sample=sample,
                criterion=criterion,
                rater=rater,
                score=score,
                is_blind=is_blind,
            )
            for rater, row in scores.items()
            for number, score in enumerate(row, start=1)
            if score is not None
        ]

    return make
