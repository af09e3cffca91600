"""Prints how well the offline judge agrees with GPT-4o's recorded judgements of ORD-MMBench; tunes nothing.

Run it as `python benchmarks/offline_agreement.py [folder of the data]`. The folder holds the criteria workbook,
`answers/<system>.jsonl` and `gpt-4o-judgements/<system>.json`; by default it lies beside the checkout. Other systems'
files in it are taken along. Kappa is Cohen's with quadratic weights over the labels 0, 25, 50, 75 and 100; the few
scores between them go to the nearest label, the lower one where two are as near.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sklearn.metrics import cohen_kappa_score

from grader.inputs.answers import read_answers
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.inputs.items import join_items
from grader.inputs.rubric_file import read_rubric
from grader.judging.offline_judge import judge_item
from grader.records import Item, Reply
from grader.rubric import Rubric
from grader.scoring.replies import score_reply

DATA = Path(__file__).parents[1].parent / "shared" / "data" / "ord-mmbench"
LABELS = (0, 25, 50, 75, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores:
    """One system's scores by both judges, in the same order."""

    system: str
    offline: tuple[float, ...]
    gpt_4o: tuple[float, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    data: Path = parser.parse_args().folder
    if not list(data.glob("*.xlsx")):
        raise SystemExit(f"{data} holds no criteria workbook; name the folder of the data")
    print(f"{'system':<20}{'n':>5}{'offline':>9}{'GPT-4o':>9}{'difference':>12}{'kappa':>8}")
    systems = read_scores(data)
    for scores in systems:
        offline, gpt_4o = mean(scores.offline), mean(scores.gpt_4o)
        print(
            f"{scores.system:<20}{len(scores.offline):>5}{offline:>9.2f}{gpt_4o:>9.2f}"
            f"{offline - gpt_4o:>+12.2f}{kappa([scores]):>8.3f}"
        )
    print(f"{'pooled':<20}{sum(len(scores.offline) for scores in systems):>5}{kappa(systems):>38.3f}")


def read_scores(data: Path) -> list[SystemScores]:
    """Return the scores of every system that has both answers and judgements in `data`."""
    rubric, _ = read_rubric("tiered")
    criteria = read_criteria_workbook(next(data.glob("*.xlsx")))
    found = []
    for path in sorted((data / "answers").glob("*.jsonl")):
        recorded = data / "gpt-4o-judgements" / f"{path.stem}.json"
        if recorded.is_file():
            judgements = json.loads(recorded.read_text(encoding="utf-8"))
            items = [item for item in join_items(criteria, [read_answers(path)]).items if item.id in judgements]
            found.append(
                SystemScores(
                    system=path.stem,
                    offline=tuple(offline_score(item, rubric) for item in items),
                    gpt_4o=tuple(float(judgements[item.id]["score"]) for item in items),
                )
            )
    return found


def offline_score(item: Item, rubric: Rubric) -> float:
    score = score_reply(Reply(text=judge_item(item, rubric)), item, rubric).score
    assert score is not None, f"the offline judge's reply to {item.id} cannot be read"
    return score


def kappa(systems: Sequence[SystemScores]) -> float:
    return float(
        cohen_kappa_score(
            [nearest_label(score) for scores in systems for score in scores.gpt_4o],
            [nearest_label(score) for scores in systems for score in scores.offline],
            weights="quadratic",
            labels=LABELS,
        )
    )


def nearest_label(score: float) -> int:
    return min(LABELS, key=lambda label: (abs(label - score), label))


def mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


if __name__ == "__main__":
    main()
