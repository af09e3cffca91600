from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from grader.cli.main import cli
from grader.rubric import Scale
from grader.statistics.agreement import agreement_report
from grader.statistics.agreement_records import MOST_CRITERIA
from grader.statistics.ratings import JUDGE, Rating

RateAll = Callable[..., list[Rating]]
LIKERT = Scale(min=1, max=5, step=1)


def test_nothing_entered_is_two_empty_blocks(rate_all: RateAll) -> None:
    report = agreement_report(rate_all({JUDGE: [1, 2, 3]}), LIKERT)
    assert report.blind.is_empty and report.seen.is_empty
    assert report.blind.scores.judge_and_experts == () and report.blind.scores.together == ()
    assert report.blind.scores.reading == "No blind answers were entered."


def test_blind_entries_are_kept_apart_from_seen_ones(rate_all: RateAll) -> None:
    blind = rate_all({JUDGE: [1, 2, 3, 4], "Ann": [1, 2, 5, None]})
    seen = rate_all({"Ann": [None, None, None, 5], "Bo": [1, None, None, 4]}, is_blind=False)
    report = agreement_report([*blind, *seen], LIKERT)

    assert (report.blind.experts, report.seen.experts) == (("Ann",), ("Ann", "Bo"))
    overall = report.blind.scores.judge_and_experts[0]
    assert (overall.n, overall.exact.value, overall.near and overall.near.value) == (3, 2 / 3, 2 / 3)
    assert overall.difference.value == pytest.approx(2 / 3)
    assert report.seen.scores.judge_and_experts[0].n == 2
    assert report.seen.scores.counts == ((1, 1, 1), (4, 4, 1), (4, 5, 1))


def test_the_reading_says_it_in_figures(rate_all: RateAll) -> None:
    report = agreement_report(rate_all({JUDGE: [1, 2, 3, 4], "Ann": [1, 2, 5, 4]}), LIKERT)
    assert report.blind.scores.reading == (
        "On 4 blind answers the judge and the expert (Ann) agree exactly on 3 (75 %, 30 to 95), are at most one step "
        "of the scale (1) apart on 3 (75 %, 30 to 95), and the expert gives 0.5 more on average (-1.09 to 2.09)."
    )


@pytest.mark.parametrize(
    ("scores", "reading"),
    [
        ({"Ann": [1]}, "The judge has rated none of the blind answers: there is nothing to compare."),
        (
            {JUDGE: [3], "Ann": [2], "Bo": [3]},
            "On 1 blind answer the judge and the experts agree exactly on 0 (0 %, 0 to 79), are at most one step of "
            "the scale (1) apart on 1 (100 %, 21 to 100), and the experts give 0.5 less on average.",
        ),
        (
            {JUDGE: [3], "Ann": [3]},
            "On 1 blind answer the judge and the expert (Ann) agree exactly on 1 (100 %, 21 to 100), are at most one "
            "step of the scale (1) apart on 1 (100 %, 21 to 100), and the expert gives the same on average.",
        ),
    ],
)
def test_the_reading_of_little(rate_all: RateAll, scores: dict[str, list[float]], reading: str) -> None:
    assert agreement_report(rate_all(scores), LIKERT).blind.scores.reading == reading


def test_systems_are_apart_and_together(rate_all: RateAll) -> None:
    ratings = [
        *rate_all({JUDGE: [1, 2, 3], "Ann": [1, 2, 3]}, system="a"),
        *rate_all({JUDGE: [1, 2, 3], "Ann": [3, 2, 1]}, system="b"),
        *rate_all({JUDGE: [1, 2, 3]}, system="unrated"),
    ]
    scores = agreement_report(ratings, LIKERT).blind.scores
    assert [(pair.system, pair.n, pair.exact.value) for pair in scores.judge_and_experts] == [
        (None, 6, pytest.approx(4 / 6)),
        ("a", 3, 1),
        ("b", 3, pytest.approx(1 / 3)),
    ]
    assert [group.system for group in scores.together] == [None, "a", "b"]
    assert scores.judge_and_experts[2].kappa.value == pytest.approx(-1)


def test_experts_are_compared_with_the_judge_and_with_each_other(rate_all: RateAll) -> None:
    ratings = rate_all({JUDGE: [1, 2, 3, 4], "Bo": [1, 2, 3, None], "Ann": [3, 2, 3, 4], "Cy": [None, None, 3, 5]})
    scores = agreement_report(ratings, LIKERT).blind.scores
    assert [(pair.first, pair.second, pair.n) for pair in scores.judge_and_each] == [
        (JUDGE, "Ann", 4),
        (JUDGE, "Bo", 3),
        (JUDGE, "Cy", 2),
    ]
    between = {(pair.first, pair.second): pair.n for pair in scores.between_experts}
    assert between == {("Ann", "Bo"): 3, ("Ann", "Cy"): 2, ("Bo", "Cy"): 1}
    assert scores.together[-1].raters == ("Ann", "Bo", "Cy")
    assert scores.judge_and_experts[0].second == "experts"
    assert scores.judge_and_experts[0].difference.value == pytest.approx((1 + 0 + 0 + 0.5) / 4)


def test_samples_are_averaged_first(rate_all: RateAll) -> None:
    ratings = [
        *rate_all({JUDGE: [1, 2], "Ann": [2, 2]}, sample=1),
        *rate_all({JUDGE: [3, 2]}, sample=2),
    ]
    overall = agreement_report(ratings, LIKERT).blind.scores.judge_and_experts[0]
    assert (overall.n, overall.exact.value) == (2, 1)


def test_criteria_have_an_agreement_of_their_own(rate_all: RateAll) -> None:
    ratings = [
        *rate_all({JUDGE: [1, 0, 1], "Ann": [1, 0, 0]}, criterion=(25, 1)),
        *rate_all({JUDGE: [1, 1, 1], "Ann": [1, 1, 1]}, criterion=(50, 1)),
        *rate_all({JUDGE: [100, 0, 50], "Ann": [100, 0, 0]}),
    ]
    block = agreement_report(ratings, Scale(min=0, max=100)).blind
    assert (block.criteria.judge_and_experts[0].n, block.scores.judge_and_experts[0].n) == (6, 3)
    assert block.criteria.judge_and_experts[0].near is None
    assert block.criteria.reading == (
        "On 6 blind criteria the judge and the expert (Ann) agree exactly on 5 (83 %, 40 to 97)."
    )
    assert "nominal" in block.criteria.together[0].alpha.method
    assert block.disputed == ()  # each was rated once only


def test_one_criterion_is_called_so(rate_all: RateAll) -> None:
    report = agreement_report(rate_all({JUDGE: [1], "Ann": [1]}, criterion=(None, 1)), LIKERT)
    assert report.blind.criteria.reading.startswith("On 1 blind criterion the judge")


def test_disputed_criteria_come_most_disputed_first_and_are_capped(rate_all: RateAll) -> None:
    ratings = []
    for system in ("a", "b"):
        judge = [1.0] * 80
        expert = [1.0 if (system == "a" and number % 2) or number > 70 else 0.0 for number in range(80)]
        ratings += rate_all({JUDGE: judge, "Ann": expert}, system=system, criterion=(None, 2))
    disputed = agreement_report(ratings, LIKERT).blind.disputed
    assert len(disputed) == MOST_CRITERIA
    assert (disputed[0].exact.value, disputed[0].judge_mean, disputed[0].expert_mean) == (0, 1, 0)
    assert (disputed[-1].exact.value, disputed[-1].number, disputed[-1].exact.n) == (0.5, 2, 2)


@pytest.mark.no_cover
def test_the_offline_judge_against_gpt_4o(ord_mmbench: Path, tmp_path: Path) -> None:
    answers = ord_mmbench / "answers" / "gpt-4o.jsonl"
    criteria = ord_mmbench / "ORD-MMBench-Scoring-criteria.xlsx"
    arguments = ["score", "--criteria", criteria, "--answers", answers, "--model", "offline", "--out", tmp_path / "r"]
    result = CliRunner().invoke(cli, [str(word) for word in arguments])
    assert result.exit_code in (0, 3), result.output
    lines = (tmp_path / "r" / "results.jsonl").read_text("utf-8").splitlines()
    offline = {record["id"]: record["score"] for record in map(json.loads, lines) if record["score"] is not None}
    recorded = json.loads((ord_mmbench / "gpt-4o-judgements" / "gpt-4o.json").read_text("utf-8"))
    pairs = [(float(offline[number]), float(recorded[number]["score"])) for number in offline if number in recorded]
    assert len(pairs) > 50
    ratings = [
        Rating(system="gpt-4o", item_id=str(number), rater=rater, score=score, is_blind=True)
        for number, pair in enumerate(pairs)
        for rater, score in zip((JUDGE, "GPT-4o"), pair, strict=True)
    ]
    found = agreement_report(ratings, Scale(min=0, max=100)).blind.scores.judge_and_experts[0]

    judge, expert = zip(*pairs, strict=True)
    grid = [round(5.0 * place) for place in range(21)]  # evenly spaced, as scikit-learn takes its labels to be
    assert set(judge) | set(expert) <= set(grid)
    assert found.kappa.value == pytest.approx(
        cohen_kappa_score(judge, expert, labels=grid, weights="quadratic"), abs=1e-9
    )
    assert found.spearman.value == pytest.approx(spearmanr(judge, expert).statistic, abs=1e-9)
    assert found.exact.value == pytest.approx(sum(a == b for a, b in pairs) / len(pairs), abs=1e-9)
    assert found.difference.value == pytest.approx((sum(expert) - sum(judge)) / len(pairs), abs=1e-9)


def test_answers_left_empty_are_told_and_not_counted(rate_all: RateAll) -> None:
    ratings = rate_all({JUDGE: [1, 2, 3], "Ann": [1, 2]}, is_blind=False)
    seen = agreement_report(ratings, LIKERT, answer_count=3).seen
    assert (seen.without_entry, seen.scores.judge_and_experts[0].n) == (1, 2)
    assert seen.counted.endswith("rows left empty are not counted as agreement (1 answer was shown without one).")
    assert agreement_report(ratings, LIKERT).seen.counted == ""
    assert agreement_report(ratings, LIKERT, answer_count=3).blind.counted == ""
