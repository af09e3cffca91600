"""Student's quantile is SciPy's, over all that an interval may ask for."""

from __future__ import annotations

import subprocess
import sys

import pytest
from scipy.special import ndtri, stdtrit

from grader.statistics.estimate import CONFIDENCE
from grader.statistics.pairs import normal_quantile
from grader.statistics.student_t import t_quantile

DEGREES = (*range(1, 60), 99, 100, 365, 366, 998, 999, 1000, 1001, 1002, 5000, 99_999, 10**6)


@pytest.mark.parametrize("share", [0.5, 0.6, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9995])
def test_it_is_scipys(share: float) -> None:
    for degrees in DEGREES:
        assert t_quantile(degrees, share) == pytest.approx(float(stdtrit(degrees, share)), rel=1e-10, abs=1e-15)


def test_by_default_it_leaves_two_and_a_half_percent_above() -> None:
    assert t_quantile(1) == pytest.approx(12.7062047361747, rel=1e-14)  # tan(0.475 π)
    for degrees in DEGREES:
        assert t_quantile(degrees) == pytest.approx(float(stdtrit(degrees, 0.975)), rel=1e-13)


def test_the_normal_one_is_scipys_to_the_last_bit() -> None:
    assert normal_quantile() == float(ndtri((1 + CONFIDENCE) / 2))


def test_means_and_criteria_that_are_alike_need_neither_numpy_nor_scipy() -> None:
    script = """
import sys
from grader.statistics.item_analysis import item_analysis
from grader.statistics.item_analysis_records import AnalysedAnswer, CriterionText
answers = [
    AnalysedAnswer(system=system, item_id=str(n), score=float(n % 3), length=n, met={(None, 1): n % 2 == 0},
                   is_reviewed=False, is_changed=False)
    for system in "abcd" for n in range(30)
]
criteria = [
    CriterionText(item_id=str(n), place=(None, 1), text=f"names the {n // 2 * 'x'} landing site") for n in range(9)
]
analysis = item_analysis(answers, criteria, scale=(0.0, 2.0))
assert analysis.near_duplicates and analysis.questions[0].mean.n and analysis.scores[1].length_correlation.low
print(sorted({"numpy", "scipy"} & sys.modules.keys()))
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
