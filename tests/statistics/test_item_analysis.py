"""Item analysis on small answers whose outcome can be counted by hand, and against scipy."""

from __future__ import annotations

import numpy
import pytest
from scipy.stats import pearsonr

from grader.statistics.item_analysis import item_analysis, item_rest_correlation
from grader.statistics.item_analysis_records import AnalysedAnswer, CriterionText, ItemAnalysis

SYSTEMS = ("a", "b", "c", "d")
PLACES = ((None, 1), (None, 2), (None, 3))
MET = {"a": "110", "b": "100", "c": "110", "d": "100"}
"""Question 1: the first criterion always met, the third never."""

OTHER = {"a": "111", "b": "000", "c": "110", "d": "100"}


def criterion(item_id: str, number: int, text: str = "") -> CriterionText:
    return CriterionText(item_id=item_id, place=(None, number), text=text or f"says thing {item_id}.{number}")


def answer(system: str, item_id: str, bits: str, **more: object) -> AnalysedAnswer:
    met = dict(zip(PLACES, (bit == "1" for bit in bits), strict=False))
    given = {"score": 100.0 * bits.count("1") / len(bits), "length": 10 * bits.count("1") + 5, **more}
    return AnalysedAnswer(system=system, item_id=item_id, met=met, **given)  # type: ignore[arg-type]


def analysed(*extra: AnalysedAnswer, values: tuple[float, ...] = ()) -> ItemAnalysis:
    answers = [answer(system, "1", MET[system]) for system in SYSTEMS]
    answers += [answer(system, "2", OTHER[system]) for system in SYSTEMS]
    criteria = [criterion(item_id, number) for item_id in ("1", "2") for number in (1, 2, 3)]
    return item_analysis([*answers, *extra], criteria, scale=(0.0, 100.0), values=values)


def test_a_criterion_that_all_or_none_meet_is_said_with_its_count() -> None:
    first, second, third, *_ = analysed().criteria
    assert first.findings == ("always met (4 of 4)",)
    assert third.findings == ("never met (0 of 4)",)
    assert (second.met.n, second.met.value) == (4, 0.5)
    assert second.met.low == pytest.approx(0.1500, abs=1e-3)
    assert not second.findings


def test_the_rest_leaves_the_criterion_itself_out() -> None:
    second = analysed().criteria[1]
    own = [1.0, 0.0, 1.0, 0.0]
    rest = [(1 + 0 + 3) / 5, (1 + 0 + 0) / 5, (1 + 0 + 2) / 5, (1 + 0 + 1) / 5]
    assert second.item_rest.value == pytest.approx(pearsonr(own, rest).statistic, abs=1e-12)


@pytest.mark.parametrize("n", [4, 7, 30])
def test_correlation_and_interval_are_those_of_scipy(n: int) -> None:
    own, rest = numpy.random.default_rng(n).normal(size=(2, n))
    expected = pearsonr(own, rest)
    low, high = expected.confidence_interval(0.95)
    found = item_rest_correlation(own.tolist(), rest.tolist())
    assert (found.value, found.low, found.high) == pytest.approx((expected.statistic, low, high), abs=1e-9)


@pytest.mark.parametrize(
    ("own", "rest", "reason"),
    [
        ([1.0, 2.0], [1.0, 2.0], "not computable: fewer than 3 systems"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "not computable: all systems are the same"),
        ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], "interval not computable from 3 systems"),
        ([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0], "interval not computable"),
    ],
)
def test_what_cannot_be_computed_says_why(own: list[float], rest: list[float], reason: str) -> None:
    found = item_rest_correlation(own, rest)
    assert found.reason.startswith(reason)
    assert found.low is None
    assert (found.value is None) == reason.startswith("not")


def test_a_criterion_that_the_weaker_meet_is_a_finding() -> None:
    answers = [answer(system, "1", MET[system]) for system in SYSTEMS]
    answers += [answer(system, "2", bits) for system, bits in zip(SYSTEMS, ("011", "100", "011", "100"), strict=True)]
    criteria = [criterion("2", 1)]
    (found,) = item_analysis(answers, criteria, scale=(0.0, 100.0)).criteria
    assert found.item_rest.value is not None and found.item_rest.value < -0.2
    assert found.findings[0].startswith("systems that do well elsewhere do worse here")


def test_a_question_that_all_answer_fully_is_at_the_top() -> None:
    answers = [answer(system, "1", "111") for system in SYSTEMS] + [
        answer(system, "2", OTHER[system]) for system in SYSTEMS
    ]
    answers += [answer(system, "3", "000") for system in SYSTEMS] + [answer(system, "4", "10") for system in SYSTEMS]
    top, middle, floor, same = item_analysis(answers, [], scale=(0.0, 100.0)).questions
    assert top.findings == ("always at the top of the scale (4 of 4)",)
    assert floor.findings == ("always at the floor of the scale (4 of 4)",)
    assert same.findings == ("the same score for all (50, 4 of 4)",)
    assert (middle.at_top.value, middle.at_floor.value) == (0.25, 0.25)
    assert top.item_rest.reason.startswith("not computable")


def test_the_use_of_the_scale_names_what_is_common_and_what_never_comes() -> None:
    answers = [answer("a", str(number), "1" if number < 9 else "0", length=number) for number in range(10)]
    everyone, system = item_analysis(answers, [], scale=(0.0, 100.0), values=(0.0, 50.0, 100.0)).scores
    assert (everyone.system, system.system) == (None, "a")
    assert (everyone.most_frequent, everyone.bunching.value, everyone.bunching.n) == (100.0, 0.9, 10)
    assert everyone.never_used == (50.0,)
    assert everyone.findings[:2] == ("90% of the answers have the score 100", "never given: 50")
    assert everyone.override_rate.reason == "not computable: no expert has entered anything"


@pytest.mark.parametrize(("sign", "word"), [(1, "higher"), (-1, "lower")])
def test_the_pull_of_length_is_found_both_ways(sign: int, word: str) -> None:
    answers = [
        AnalysedAnswer(system="a", item_id=str(number), score=sign * (number + number % 2), length=number)
        for number in range(30)
    ]
    everyone = item_analysis(answers, [], scale=(-50.0, 50.0)).scores[0]
    assert f"longer answers score {word}" in everyone.findings


def test_few_answers_give_figures_and_no_findings() -> None:
    everyone = item_analysis([answer("a", "1", "1")], [], scale=(0.0, 100.0), values=(0.0, 100.0)).scores[0]
    assert everyone.never_used == (0.0,)
    assert not everyone.findings


def test_overrides_are_counted_among_the_reviewed() -> None:
    reviewed = [answer("e", str(number), "1", is_reviewed=True, is_changed=number == 1) for number in range(4)]
    rate = analysed(*reviewed).scores[0].override_rate
    assert (rate.n, rate.value) == (4, 0.25)


def test_over_all_systems_the_questions_are_what_was_drawn() -> None:
    """Four systems that always get the same are worth one: the interval over all is that of the questions."""
    answers = [
        AnalysedAnswer(
            system=system,
            item_id=str(number),
            score=0.0 if number % 3 == 0 else 100.0,
            length=number,
            is_reviewed=True,
            is_changed=number % 3 == 0,
        )
        for system in SYSTEMS
        for number in range(30)
    ]
    everyone, one, *_ = item_analysis(answers, [], scale=(0.0, 100.0)).scores
    for together, alone in (
        (everyone.bunching, one.bunching),
        (everyone.override_rate, one.override_rate),
    ):
        assert (together.n, alone.n) == (120, 30)
        assert together.value == pytest.approx(alone.value)
        assert None not in (together.low, together.high, alone.low, alone.high)
        width, alone_width = together.high - together.low, alone.high - alone.low  # type: ignore[operator]
        assert width == pytest.approx(alone_width, rel=0.03)
        assert "the questions being what was drawn (worth 29 of 120)" in together.method


def test_length_is_not_correlated_over_systems_that_share_questions() -> None:
    answers = [
        AnalysedAnswer(system=system, item_id=str(number), score=float(number), length=number + number % 2)
        for system in ("a", "b")
        for number in range(30)
    ]
    everyone, *systems = item_analysis(answers, [], scale=(0.0, 30.0)).scores
    assert (everyone.length_correlation.n, everyone.length_correlation.value) == (60, None)
    assert everyone.length_correlation.reason.startswith("not computable as one: answers to the same question")
    assert not any("longer" in finding for finding in everyone.findings)
    for system in systems:
        assert (system.length_correlation.low or 0) > 0.9
        assert "longer answers score higher" in system.findings


def test_samples_of_a_reviewed_answer_do_not_narrow_the_rate_of_changes() -> None:
    def rate(samples: int) -> float:
        answers = [
            answer("a", str(number), "1", is_reviewed=True, is_changed=number % 2 == 0)
            for number in range(20)
            for _ in range(samples)
        ]
        found = item_analysis(answers, [], scale=(0.0, 100.0)).scores[1].override_rate
        assert found.low is not None and found.high is not None
        return found.high - found.low

    assert rate(3) == pytest.approx(rate(1), rel=0.05)


def test_samples_of_one_answer_are_one_answer() -> None:
    answers = [answer("a", "1", bits) for bits in ("11", "10", "10")]
    first, second = item_analysis(answers, [criterion("1", 1), criterion("1", 2)], scale=(0.0, 100.0)).criteria
    assert (first.met.n, first.met.value, second.met.value) == (1, 1.0, 0.0)
    everyone = item_analysis(answers, [], scale=(0.0, 100.0)).scores[0]
    assert everyone.bunching.n == 1


def test_without_scores_and_verdicts_nothing_is_made_up() -> None:
    nothing = AnalysedAnswer(system="a", item_id="1", score=None, length=3)
    found = item_analysis([nothing], [criterion("1", 1)], scale=(0.0, 1.0), values=(0.0, 1.0))
    assert not found.criteria and not found.questions
    assert found.scores[0].most_frequent is None
    assert found.scores[0].never_used == ()
    assert found.scores[0].bunching.value is None


def test_a_criterion_that_nobody_answered_says_so() -> None:
    found = item_analysis([answer("a", "1", "1")], [criterion("1", 1), criterion("9", 1)], scale=(0.0, 1.0))
    assert found.criteria[1].findings == ("nobody answered this criterion",)
    assert found.criteria[1].met.n == 0
