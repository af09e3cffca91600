"""What the statistics must show on the real data: every two systems compared, and a judge corrected by another."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import ord_mmbench_report as report
from offline_agreement import read_scores

MEANS = {"gpt-4o": 83.71, "llava_v1.6": 72.46, "RAG-EDA.top4": 49.12, "visrag": 20.42}
"""As published with the benchmark."""
TYPES = {"Error Traceback": 31, "Layout": 32, "Functionality": 36, "GUI": 21}


@pytest.mark.no_cover
def test_the_four_systems_are_told_apart(ord_mmbench: Path, tmp_path: Path) -> None:
    found = report.compared(ord_mmbench, tmp_path)
    assert {each.name: (each.rank, f"{each.mean.value:.2f}") for each in found.standings} == {
        name: (rank, f"{mean:.2f}") for rank, (name, mean) in enumerate(MEANS.items(), start=1)
    }
    for each in found.standings:
        assert each.mean.n == 120 and each.mean.low is not None and each.mean.high is not None
        assert each.mean.low < MEANS[each.name] < each.mean.high
    assert len(found.pairs) == 6
    for pair in found.pairs:
        assert pair.is_told_apart and pair.difference.n == 120 and pair.left_out == 0
        assert pair.wins + pair.ties + pair.losses == 120
        assert abs(pair.difference.value or 0) == pytest.approx(abs(MEANS[pair.first] - MEANS[pair.second]), abs=0.011)
        assert pair.difference.low is not None and pair.difference.high is not None
        assert pair.difference.low * pair.difference.high > 0
        assert 5 < (pair.detectable or 0) < 20
    assert {group: pairs[0].difference.n for group, pairs in found.groups.items()} == TYPES
    assert all(len(pairs) == 6 for pairs in found.groups.values())
    # Within a type there are too few questions to tell the two best apart.
    for pairs in found.groups.values():
        assert not next(pair for pair in pairs if {pair.first, pair.second} == {"gpt-4o", "llava_v1.6"}).is_told_apart
    assert found.far_apart and all(each.first.analysis and each.second.answer for each in found.far_apart)


def test_the_offline_judge_is_corrected_by_gpt_4o(ord_mmbench: Path) -> None:
    systems = [each for each in read_scores(ord_mmbench) if each.system in MEANS]
    pooled = report.agreement(systems).blind.scores.judge_and_experts[0]
    assert pooled.n == 480 and (pooled.exact.low or 0) < (pooled.exact.value or 0) < (pooled.exact.high or 0)
    rows = report.corrected(systems, 30)
    assert [row.mean.system for row in rows] == [*(each.system for each in systems), None]
    for row in rows:
        assert row.holds, row
        assert row.coverage >= 0.9
        assert row.mean.labelled_count == 30
        is_by_question = "the questions being what was drawn" in row.mean.judge.method
        assert is_by_question is (row.mean.system is None)
