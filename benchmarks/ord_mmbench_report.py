"""Prints what the statistics say of ORD-MMBench: the systems compared, and one judge corrected by another; tunes none.

Run it as `python benchmarks/ord_mmbench_report.py [folder of the data]`. GPT-4o's recorded judgements are replayed.
For the second half they stand for an expert, who has scored only a random sample of what the offline judge scored: the
truth, the mean of GPT-4o's scores over all rows, should lie in about 95 of 100 corrected intervals.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from offline_agreement import DATA, SystemScores, read_scores

from grader.cli.agreement_table import print_agreement
from grader.cli.compare_table import print_comparison
from grader.cli.main import cli
from grader.comparing.comparing import compare
from grader.comparison_records import Comparison
from grader.inputs.rubric_file import read_rubric
from grader.statistics.agreement import agreement_report
from grader.statistics.agreement_records import AgreementReport
from grader.statistics.correction import corrected_mean
from grader.statistics.correction_records import CorrectedMean
from grader.statistics.figure_words import estimate_words
from grader.statistics.ratings import JUDGE, Rating

SEED = 20240229
LABELLED = (15, 30, 60)
DRAWS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """One system, or all, with as many rows scored by the stand-in for an expert."""

    mean: CorrectedMean
    truth: float
    coverage: float
    """Share of `DRAWS` samples whose corrected interval holds the truth."""

    @property
    def holds(self) -> bool:
        """Whether the interval of the first sample holds the truth."""
        ppi = self.mean.ppi
        return ppi.low is not None and ppi.high is not None and ppi.low <= self.truth <= ppi.high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    data: Path = parser.parse_args().folder
    if not list(data.glob("*.xlsx")):
        raise SystemExit(f"{data} holds no criteria workbook; name the folder of the data")
    with tempfile.TemporaryDirectory() as folder:
        print_comparison(compared(data, Path(folder)))
    systems = read_scores(data)
    print("\nThe offline judge against GPT-4o in the place of an expert\n")
    print_agreement(agreement(systems))
    head = f"{'rows scored':<13}{'system':<16}{'truth':>7}  {'judge only':<24}{'corrected':<24}{'holds':<7}"
    print(f"{head}{'of ' + str(DRAWS):>7}")
    for count in LABELLED:
        for row in corrected(systems, count):
            mean = row.mean
            print(
                f"{mean.labelled_count:>4} of {mean.row_count:<5}{mean.system or 'all systems':<16}{row.truth:>7.2f}  "
                f"{estimate_words(mean.judge):<24}{estimate_words(mean.ppi):<24}{'yes' if row.holds else 'no':<7}"
                f"{row.coverage:>6.0%}"
            )


def compared(data: Path, folder: Path) -> Comparison:
    """Return the systems compared by GPT-4o's recorded judgements; the run goes into `folder`."""
    recording = folder / "gpt-4o.jsonl"
    systems = sorted(path.stem for path in (data / "gpt-4o-judgements").glob("*.json"))
    with recording.open("w", encoding="utf-8") as file:
        for system in systems:
            judgements = json.loads((data / "gpt-4o-judgements" / f"{system}.json").read_text(encoding="utf-8"))
            for item_id, said in judgements.items():
                reply = f"<analysis>{said['analysis']}</analysis>\n<score>{said['score']}</score>"
                file.write(json.dumps({"system": system, "id": item_id, "reply": reply}) + "\n")
    answers = [word for system in systems for word in ("--answers", str(data / "answers" / f"{system}.jsonl"))]
    arguments = ["--criteria", str(next(data.glob("*.xlsx"))), *answers, "--questions", str(data / "questions.jsonl")]
    options = ["--group-by", "type", "--model", f"replay:{recording}", "--out", str(folder / "run"), "--quiet"]
    cli(["score", *arguments, *options], standalone_mode=False)
    return compare([folder / "run"])


def agreement(systems: Sequence[SystemScores]) -> AgreementReport:
    """Return how far the offline judge agrees with GPT-4o."""
    ratings = [
        Rating(system=each.system, item_id=str(number), rater=rater, score=score, is_blind=True)
        for each in systems
        for rater, scores in ((JUDGE, each.offline), ("GPT-4o", each.gpt_4o))
        for number, score in enumerate(scores)
    ]
    return agreement_report(ratings, read_rubric("tiered")[0].scale)


def corrected(systems: Sequence[SystemScores], count: int) -> list[Corrected]:
    """Return each system, and all together, with `count` random rows of each scored by GPT-4o."""
    rows = {each.system: list(zip(each.offline, each.gpt_4o, strict=True)) for each in systems}
    found = [_corrected(system, pairs, _numbers(pairs), count) for system, pairs in rows.items()]
    questions = [number for pairs in rows.values() for number in _numbers(pairs)]
    return [*found, _corrected(None, [pair for pairs in rows.values() for pair in pairs], questions, count)]


def _numbers(pairs: list[tuple[float, float]]) -> list[str]:
    """Return what names the question of each row: its place, as all systems answer the same in the same order."""
    return [str(number) for number in range(len(pairs))]


def _corrected(system: str | None, pairs: list[tuple[float, float]], questions: Sequence[str], count: int) -> Corrected:
    source = random.Random(f"{SEED} {system} {count}")
    truth = sum(expert for _, expert in pairs) / len(pairs)
    draws = [_drawn(system, pairs, questions, count, source, truth) for _ in range(DRAWS)]
    return Corrected(mean=draws[0].mean, truth=truth, coverage=sum(draw.holds for draw in draws) / DRAWS)


def _drawn(
    system: str | None,
    pairs: list[tuple[float, float]],
    questions: Sequence[str],
    count: int,
    source: random.Random,
    truth: float,
) -> Corrected:
    drawn = sorted(source.sample(range(len(pairs)), count))
    left = [place for place in range(len(pairs)) if place not in set(drawn)]
    mean = corrected_mean(
        [pairs[place] for place in drawn],
        [pairs[place][0] for place in left],
        system=system,
        questions=[questions[place] for place in (*drawn, *left)],
    )
    return Corrected(mean=mean, truth=truth, coverage=0.0)


if __name__ == "__main__":
    main()
