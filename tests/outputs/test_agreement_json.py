from __future__ import annotations

import json
from pathlib import Path

from grader.outputs.agreement_json import write_agreement_json
from grader.rubric import Scale
from grader.statistics.agreement import agreement_report
from grader.statistics.ratings import JUDGE, Rating


def written(path: Path, scores: list[tuple[float, float]]) -> dict[str, object]:
    ratings = [
        Rating(system="Größe", item_id=str(number), rater=rater, score=score, is_blind=True)
        for number, pair in enumerate(scores)
        for rater, score in zip((JUDGE, "Ann"), pair, strict=True)
    ]
    write_agreement_json(path / "agreement.json", agreement_report(ratings, Scale(min=1, max=5, step=1)))
    record: dict[str, object] = json.loads((path / "agreement.json").read_text("utf-8"))
    return record


def test_everything_is_in_it(tmp_path: Path) -> None:
    record = written(tmp_path, [(1, 1), (2, 3), (5, 5), (4, 2)])
    assert set(record) == {"version", "confidence", "blind", "seen", "step", "corrected", "notes", "seed", "resamples"}
    blind = record["blind"]
    assert isinstance(blind, dict)
    assert set(blind) == {"is_blind", "experts", "scores", "criteria", "disputed", "without_entry"}
    assert blind["scores"]["judge_and_experts"][1]["system"] == "Größe"
    exact = blind["scores"]["judge_and_experts"][0]["exact"]
    assert set(exact) == {"n", "value", "low", "high", "method", "reason"}
    assert (exact["n"], exact["value"], exact["reason"]) == (4, 0.5, "")
    assert blind["scores"]["counts"][1] == [2, 3, 1]
    assert record["resamples"] == 2000 and record["step"] == {"distance": 1, "words": "one step of the scale (1)"}


def test_what_is_missing_is_null_with_its_reason(tmp_path: Path) -> None:
    record = written(tmp_path, [(3, 3)])
    blind = record["blind"]
    assert isinstance(blind, dict)
    kappa = blind["scores"]["judge_and_experts"][0]["kappa"]
    assert (kappa["value"], kappa["reason"]) == (None, "not computable: fewer than 2 pairs")
    assert "NaN" not in (tmp_path / "agreement.json").read_text("utf-8")
