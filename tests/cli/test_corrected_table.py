from __future__ import annotations

import random

import pytest
from rich.console import Console

from grader.cli.corrected_table import print_corrected
from grader.statistics.correction import corrected_mean
from grader.statistics.correction_records import CorrectedMean


def printed(capsys: pytest.CaptureFixture[str], *means: CorrectedMean) -> str:
    print_corrected(Console(width=160), means)
    return capsys.readouterr().out


def test_without_blind_scores_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys) == ""


def test_all_means_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    source = random.Random(3)
    labelled = [(source.choice([0.0, 100.0]), 100.0 * (number % 2)) for number in range(40)]
    found = corrected_mean(labelled, [100.0, 0.0] * 100, system="apollo", ends=(0, 100))
    refused = corrected_mean(labelled[:5], [100.0, 0.0] * 100)
    text = printed(capsys, refused, found)
    for words in (
        "judge only",
        "experts only",
        "PPI++",
        "Rogan–Gladen",
        "apollo",
        "all systems: not computable: 5 answers",
    ):
        assert words in text
    assert f"{found.ppi.value:.2f} (" in text
    assert "more rows for about ±" in text or "not reachable" in text
