from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from grader.statistics.correction import clustered_error, corrected_mean, more_rows, power_tuned, rogan_gladen
from grader.statistics.estimate import Estimate
from grader.statistics.figure_words import correction_lines, more_words
from grader.statistics.pairs import Pairs, normal_quantile

Rows = tuple[list[tuple[float, float]], list[float]]
SCALE = [0.0, 25.0, 50.0, 100.0]


def rows(seed: int, n: int, others: int, slips: tuple[float, ...] = (0, 0, 0, 25, 25, -25)) -> Rows:
    """Return what a judge that is a little generous gives, beside the expert where there is one."""
    source = random.Random(seed)

    def pair() -> tuple[float, float]:
        expert = source.choice(SCALE)
        return min(100.0, max(0.0, expert + source.choice(slips))), expert

    return [pair() for _ in range(n)], [pair()[0] for _ in range(others)]


GOLDEN = [
    # seed, n, others, value, low, high: of ppi-python 0.2.3 (ppi_mean_pointestimate, ppi_mean_ci with alpha 0.05)
    (1, 10, 40, 36.25, 23.199533411286843, 49.30046658871316),
    (2, 30, 370, 44.33885395188267, 36.86523978940329, 51.81246811436205),
    (3, 120, 360, 46.14076993374458, 42.055817034981196, 50.22572283250796),
    (4, 50, 20, 43.31080751708428, 35.9352192061488, 50.686395828019755),
]


@pytest.mark.parametrize(("seed", "n", "others", "value", "low", "high"), GOLDEN)
def test_value_and_error_are_those_of_ppi_python(
    seed: int, n: int, others: int, value: float, low: float, high: float
) -> None:
    tuned = power_tuned(*rows(seed, n, others))
    half = normal_quantile() * math.sqrt(tuned.judged_variance / others + tuned.corrected_variance / n)
    assert (tuned.value, tuned.value - half, tuned.value + half) == pytest.approx((value, low, high), abs=1e-9)


@pytest.mark.parametrize(("seed", "n", "others"), [(8, 15, 60), (9, 40, 41), (10, 300, 20)])
def test_ppi_python_itself_agrees_where_it_is_installed(seed: int, n: int, others: int) -> None:
    reference = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    labelled, unlabelled = rows(seed, n, others)
    judge, expert = (np.array(side) for side in zip(*labelled, strict=True))
    value = reference.ppi_mean_pointestimate(expert, judge, np.array(unlabelled))
    assert power_tuned(labelled, unlabelled).value == pytest.approx(float(np.squeeze(value)), abs=1e-9)


def test_a_judge_that_says_nothing_leaves_the_experts_mean() -> None:
    labelled, unlabelled = rows(1, 20, 50)
    against = [(100 - expert, expert) for _, expert in labelled]
    for pairs in (against, [(50.0, expert) for _, expert in labelled]):
        tuned = power_tuned(pairs, [50.0] * len(unlabelled))
        assert (tuned.weight, tuned.explained) == (0, 0)
        assert tuned.value == pytest.approx(sum(expert for _, expert in labelled) / 20)


@pytest.mark.parametrize(
    ("labelled", "unlabelled", "words"),
    [
        ([(0.0, 25.0)] * 9, [1.0, 2.0], "9 answers"),
        ([(0.0, 25.0), (25.0, 0.0)] * 6, [], "all answers"),
        ([(0.0, 25.0), (25.0, 25.0)] * 6, [0.0, 25.0], "the same score"),
    ],
)
def test_what_the_data_do_not_carry_is_refused(labelled: Pairs, unlabelled: list[float], words: str) -> None:
    mean = corrected_mean(labelled, unlabelled)
    assert words in mean.ppi.reason
    assert (mean.ppi.value, mean.more) == (None, None)
    assert mean.judge.value is not None
    assert mean.experts.value is not None
    assert words in "\n".join(correction_lines([mean]))


def test_a_sample_that_is_not_random_is_refused() -> None:
    labelled, unlabelled = rows(1, 20, 50)
    assert corrected_mean(labelled, unlabelled, refusal="not computable: picked").ppi.reason == "not computable: picked"


def test_more_rows_reach_the_margin_and_one_fewer_does_not() -> None:
    labelled, unlabelled = rows(3, 30, 2000)
    mean = corrected_mean(labelled, unlabelled)
    assert mean.more is not None and mean.more.count is not None and mean.ppi.high is not None
    assert mean.more.margin == pytest.approx((mean.ppi.high - (mean.ppi.value or 0)) / 2)
    assert 30 < mean.more.count < 300
    assert more_words(mean.more).startswith(f"label {mean.more.count} more rows")
    # Whoever does label so many gets about that margin.
    wider = corrected_mean(*rows(3, 30 + mean.more.count, 2000 - mean.more.count))
    assert wider.ppi.high is not None
    assert wider.ppi.high - (wider.ppi.value or 0) == pytest.approx(mean.more.margin, rel=0.25)
    tuned = power_tuned(labelled, unlabelled)
    assert more_words(more_rows(tuned, 30, 2000, 99.0)) == "± 99 is reached"
    assert "not reachable" in more_words(more_rows(tuned, 30, 2000, 0.01))


def test_rogan_gladen_by_hand() -> None:
    """Sensitivity 0.9, specificity 0.8, 60 of 100 said yes: (0.6 + 0.8 - 1) / 0.7."""
    found = rogan_gladen(27, 30, 16, 20, 60, 100)
    assert found.value == pytest.approx(0.4 / 0.7, abs=1e-12)
    # Lang and Reiczigel's formula, put down once more with other words and numpy.
    z = stats.norm.ppf(0.975)
    k, n = np.array([60 + z**2 / 2, 28, 17]), np.array([100 + z**2, 32, 22])
    p, se, sp = k / n
    prevalence = (p + sp - 1) / (se + sp - 1)
    variance = (k / n) * (1 - k / n) / n
    shift = 2 * z**2 * (prevalence * variance[1] - (1 - prevalence) * variance[2])
    half = z * math.sqrt(variance @ np.array([1, prevalence**2, (1 - prevalence) ** 2])) / (se + sp - 1)
    assert (found.low, found.high) == pytest.approx((prevalence + shift - half, prevalence + shift + half), abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((0, 0, 5, 10, 3, 10), "never said yes"),
        ((5, 10, 0, 0, 3, 10), "never said no"),
        ((5, 10, 5, 10, 3, 10), "0.50"),
    ],
)
def test_rogan_gladen_is_refused(counts: tuple[int, int, int, int, int, int], words: str) -> None:
    found = rogan_gladen(*counts)
    assert found.value is None and words in found.reason


def test_verdicts_of_yes_and_no_get_both() -> None:
    source = random.Random(4)
    labelled = [(100.0 * (source.random() < (0.9 if yes else 0.2)), 100.0 * yes) for yes in [True, False] * 20]
    mean = corrected_mean(labelled, [100.0 * (source.random() < 0.6) for _ in range(200)], ends=(0, 100))
    assert mean.rogan_gladen is not None and mean.rogan_gladen.value is not None
    assert 0 <= (mean.rogan_gladen.low or 0) < mean.rogan_gladen.value < (mean.rogan_gladen.high or 0) <= 100
    assert "Wilson" in mean.judge.method
    between = corrected_mean([*labelled, (50.0, 100.0)], [0.0, 100.0], ends=(0, 100))
    assert between.rogan_gladen is not None and "one of two" in between.rogan_gladen.reason


Simulate = Callable[[np.random.Generator], bool]


def test_corrected_means_cover_the_truth_where_the_judges_own_do_not() -> None:
    """The judge is 8 points too generous; of 400 intervals some 380 of PPI must hold the truth, of its own few."""
    source = np.random.default_rng(20)
    scale, slips = np.array(SCALE), np.array([0.0, 0, 0, 25, 25, -15])
    truth, held, judges = float(scale.mean()), 0, 0
    for _ in range(400):
        expert = source.choice(scale, size=430)
        judge = expert + source.choice(slips, size=430)
        mean = corrected_mean(list(zip(judge[:30], expert[:30], strict=True)), judge[30:].tolist())
        assert mean.ppi.low is not None and mean.ppi.high is not None and mean.judge.low is not None
        held += mean.ppi.low <= truth <= mean.ppi.high
        judges += mean.judge.low <= truth <= (mean.judge.high or 0)
    assert 368 <= held <= 396
    assert judges < 320


def shared(
    source: np.random.Generator, systems: int = 4, count: int = 60, labelled: int = 40
) -> tuple[Rows, list[str]]:
    """Return answers of several systems to the same questions, of which some are hard for all; the truth is 50."""
    expert = 50 + source.normal(0, 18, (count, 1)) + source.normal(0, 9, (count, systems))
    judge = expert / 2 + 25 + source.normal(0, 8, (count, systems))
    order = source.permutation(count * systems)
    given, judged = expert.ravel()[order].tolist(), judge.ravel()[order].tolist()
    pairs = list(zip(judged[:labelled], given[:labelled], strict=True))
    return (pairs, judged[labelled:]), [str(place // systems) for place in order]


def test_the_error_over_shared_questions_is_that_of_statsmodels() -> None:
    linear_model = pytest.importorskip("statsmodels.regression.linear_model", reason="the extra stats is not installed")
    (labelled, unlabelled), questions = shared(np.random.default_rng(5))
    tuned = power_tuned(labelled, unlabelled, questions)
    pulls = np.array([(expert - tuned.weight * judge) / len(labelled) for judge, expert in labelled])
    pulls = np.concatenate([pulls - pulls.mean(), tuned.weight * (np.array(unlabelled) - np.mean(unlabelled)) / 200])
    fit = linear_model.OLS(pulls * len(pulls), np.ones(len(pulls))).fit(
        cov_type="cluster", cov_kwds={"groups": np.unique(questions, return_inverse=True)[1]}
    )
    assert clustered_error(pulls.tolist(), questions) == pytest.approx(float(fit.bse[0]), abs=1e-9)
    assert tuned.widening > 1


@pytest.mark.no_cover
def test_answers_to_shared_questions_cover_the_truth_and_as_strangers_they_do_not() -> None:
    source = np.random.default_rng(22)
    held = strangers = 0
    for _ in range(400):
        (labelled, unlabelled), questions = shared(source)
        for asked in (questions, []):
            ppi = corrected_mean(labelled, unlabelled, questions=asked).ppi
            assert ppi.low is not None and ppi.high is not None
            held += bool(asked) and ppi.low <= 50 <= ppi.high
            strangers += not asked and ppi.low <= 50 <= ppi.high
    assert 368 <= held <= 396
    assert strangers < 364


def test_means_beside_it_take_the_questions_as_the_draw_too() -> None:
    (labelled, unlabelled), questions = shared(np.random.default_rng(6))
    mean = corrected_mean(labelled, unlabelled, questions=questions)
    assert "questions being what was drawn" in mean.judge.method and "what was drawn" in mean.ppi.method
    yes = [(100.0 * (judge > 50), 100.0 * (expert > 50)) for judge, expert in labelled]
    binary = corrected_mean(yes, [100.0 * (judge > 50) for judge in unlabelled], ends=(0, 100), questions=questions)
    alone = corrected_mean(yes, [100.0 * (judge > 50) for judge in unlabelled], ends=(0, 100))
    assert binary.rogan_gladen is not None and alone.rogan_gladen is not None
    assert binary.rogan_gladen.value == alone.rogan_gladen.value
    assert width(binary.rogan_gladen) > width(alone.rogan_gladen)
    assert width(binary.judge) > width(alone.judge)
    assert 0 <= (binary.judge.low or 0) <= (binary.judge.value or 0) <= (binary.judge.high or 0) <= 100


def width(estimate: Estimate) -> float:
    assert estimate.low is not None and estimate.high is not None
    return estimate.high - estimate.low


def test_many_answers_to_a_few_questions_are_refused() -> None:
    labelled, unlabelled = rows(7, 20, 60)
    questions = [str(place % 5) for place in range(80)]
    assert "answers to 5 questions" in corrected_mean(labelled, unlabelled, questions=questions).ppi.reason


def test_rogan_gladen_covers_the_truth() -> None:
    source = np.random.default_rng(21)
    held = total = 0
    for _ in range(400):
        yes = source.random(340) < 0.4
        said = source.random(340) < np.where(yes, 0.85, 0.15)
        counts = (
            int((yes & said)[:40].sum()),
            int(yes[:40].sum()),
            int((~yes & ~said)[:40].sum()),
            int((~yes)[:40].sum()),
        )
        found = rogan_gladen(*counts, int(said[40:].sum()), 300)
        if found.low is not None and found.high is not None:
            total += 1
            held += found.low <= 0.4 <= found.high
    assert total > 380
    assert held / total >= 0.92
