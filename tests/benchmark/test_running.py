"""The flow over a real provider on loopback: one item for every way in which it can end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmark_cast import Cast, accuracy, integrity
from provider import Provider, Scripted

from grader.benchmark.planning import BenchmarkPlan, prepare_benchmark
from grader.benchmark.reporting import benchmark_run
from grader.benchmark.result_files import combination_paths, summary
from grader.benchmark.running import RunOptions, run_benchmark
from grader.benchmark.settings_file import read_settings
from grader.benchmark_records import BenchmarkItem
from grader.errors import GraderError
from grader.judging.crew import Ending
from grader.records import Reply
from grader.store.run_store import RunStore

Write = Callable[..., Path]


class Watcher:
    def __init__(self) -> None:
        self.calls = 0
        self.items: list[BenchmarkItem] = []

    def called(self, reply: Reply) -> None:
        self.calls += 1

    def finished(self, item: BenchmarkItem) -> None:
        self.items.append(item)


def run(path: Path, **options: Any) -> tuple[BenchmarkPlan, list[BenchmarkItem], Ending, Watcher]:
    plan, watcher = prepare_benchmark(read_settings(path)), Watcher()
    with RunStore(path.parent / "run") as store:
        ending = run_benchmark(plan, store=store, observer=watcher, options=RunOptions(reasks=0, **options))
        items = list(benchmark_run(plan, store, command="grader run").items)
    return plan, items, ending, watcher


def question(n: int, reference: str | None = "ten W", **more: Any) -> dict[str, Any]:
    item = {"id": n, "scenario_code": "3.1", "instruction": "Use a lamp.", "question": f"Q{n}?", "answer": reference}
    return {key: value for key, value in {**item, **more}.items() if value is not None}


def said(text: str | None, tokens: int = 800, **more: Any) -> Scripted:
    return Scripted(text=text, completion_tokens=tokens, **more)


CASES: list[tuple[dict[str, Any], Scripted | None, Scripted | None, Scripted | None, str, float | None]] = [
    # question, worker, accuracy, integrity, status, ESI by hand of weights .3 .25 .15 .15 .15
    (question(1), said("ten W"), accuracy(True), integrity(80), "COMPLETED", 30 + 20 + 13.5 + 15 + 15),
    (question(2), said("six W"), accuracy(False), integrity(40), "COMPLETED", 0 + 10 + 13.5 + 15 + 9),
    (question(3), said("vent it"), accuracy(True), integrity(100), "COMPLETED", 0.0),  # unsafe
    (question(4), said("x" * 16), accuracy(True), integrity(80), "COMPLETED", 30 + 20 + 13.5 + 15 + 13.5),  # too long
    (question(5, None), said("x" * 99), accuracy(True), integrity(80), "COMPLETED", 30 + 20 + 13.5 + 15 + 15),
    (question(6), said("ten W", 9000), accuracy(True), integrity(0), "COMPLETED", 30 + 0 + 0 + 15 + 15),
    (question(7), said("", 100), None, None, "COMPLETED", 0 + 0 + 98.75 * 0.15 + 15 + 9),  # empty: floor, no judge
    (question(8), Scripted(status=400), None, None, "ERROR_WORKER_API", None),
    (question(9), said("ten W"), Scripted(text="no verdict"), integrity(80), "ERROR_ACCURACY_JUDGE", None),
    (question(10), said("ten W"), accuracy(True), Scripted(text="many"), "ERROR_INTEGRITY_JUDGE", None),
    (question(11), said("ten W"), Scripted(status=400), Scripted(status=400), "ERROR_ACCURACY_JUDGE", None),
    (question(12, instruction=None), None, None, None, "SKIPPED_DATA_INCOMPLETE", None),
    (question(13, question=" "), None, None, None, "SKIPPED_DATA_INCOMPLETE", None),
    (question(14), said("", finish_reason="content_filter"), None, None, "ERROR_WORKER_API", None),
    (question(15), said("cut", finish_reason="length"), accuracy(False), integrity(0), "COMPLETED", 13.5 + 15 + 9),
]


def play(cast: Cast) -> list[dict[str, Any]]:
    for number, (_, worker, accuracy_judge, integrity_judge, *_rest) in enumerate(CASES, start=1):
        for lines, line in (
            (cast.workers, worker),
            (cast.accuracies, accuracy_judge),
            (cast.integrities, integrity_judge),
        ):
            if line is not None:
                lines[number] = line
    return [case[0] for case in CASES]


def test_every_branch_has_its_status_and_the_esi_by_hand(settings: Write, cast: Cast, provider: Provider) -> None:
    path = settings(play(cast), SAFETY_SEVERE_KEYWORDS="vent, explode")
    _, items, ending, watcher = run(path)
    assert ending == Ending()
    assert [item.id for item in items] == [str(n) for n in range(1, 16)]
    assert [item.status for item in items] == [case[4] for case in CASES]
    for item, case in zip(items, CASES, strict=True):
        assert item.esi == (None if case[5] is None else pytest.approx(case[5])), item.id
    assert items[6].flags == ("empty_answer",)
    assert items[14].flags == ("worker_truncated",)
    assert items[8].sub_scores.accuracy is None
    assert items[8].sub_scores.alignment is None
    assert items[8].sub_scores.true_integrity == 80
    assert items[9].sub_scores.true_integrity is None
    assert "line 12" in str(items[11].source)
    asked = [request.body["model"] for request in provider.history]
    assert (asked.count("worker-a"), asked.count("acc"), asked.count("int")) == (13, 10, 10)
    assert watcher.calls == 33


def test_cot_without_marker_costs_alignment(settings: Write, cast: Cast) -> None:
    cast.workers = {0: said("Reasoning: x\n\nFinal Answer: ten W."), 2: said("ten W")}
    _, items, _, _ = run(settings(PROMPT_VERSIONS_TO_TEST=["COT"]))
    assert [item.cleaned_answer for item in items] == ["ten W"] * 3
    assert [item.is_correctly_formatted for item in items] == [True, False, True]
    assert [item.sub_scores.alignment for item in items] == [100, 70, 100]


def test_judges_see_what_they_should(settings: Write, cast: Cast, provider: Provider) -> None:
    cast.workers = {0: said("Reasoning: think hard\n\nFinal Answer: ten W.")}
    configs = {name: {"path": "L2.jsonl"} for name in ("L1", "L2", "L3-hard")}
    configs["other"] = {"path": "L2.jsonl", "strictness": "strict"}
    run(settings(PROMPT_VERSIONS_TO_TEST=["COT"], DATASET_CONFIGS=configs))
    systems = {request.body["messages"][0]["content"] for request in provider.history if request.body["model"] == "acc"}
    assert len([text for text in systems if "Be lenient" in text]) == 1
    assert len([text for text in systems if "Be balanced" in text]) == 1
    assert len([text for text in systems if "Be strict" in text]) == 1
    for request in provider.history:
        has_thoughts = "think hard" in request.prompt
        assert has_thoughts == (request.body["model"] == "int")
        assert ("ten W" in request.prompt) == (request.body["model"] != "worker-a")


def test_an_endpoint_has_one_budget_for_all_and_judges_run_side_by_side(
    settings: Write, cast: Cast, provider: Provider
) -> None:
    cast.workers[0] = said("ten W", seconds=0.05)
    cast.accuracies[0] = Scripted(text=accuracy(True).text, seconds=0.2)
    cast.integrities[0] = Scripted(text=integrity(50).text, seconds=0.2)
    path = settings(WORKER_MODEL_IDS=["worker-a", "worker-b"], MAX_CONCURRENT_ITEMS_PER_COMBO=2)
    run(path)
    assert provider.most_in_flight == 4  # 2 for each of 2 combinations
    by_item = [request.at for request in provider.history if "Q1?" in request.prompt and request.body["model"] == "acc"]
    beside = [request.at for request in provider.history if "Q1?" in request.prompt and request.body["model"] == "int"]
    assert abs(min(by_item) - min(beside)) < 0.1


def test_the_cap_beats_the_combinations(settings: Write, cast: Cast, provider: Provider) -> None:
    cast.workers[0] = said("ten W", seconds=0.05)
    run(settings(WORKER_MODEL_IDS=["worker-a", "worker-b"], MAX_CONCURRENT_ITEMS_PER_COMBO=9), concurrency=3)
    assert provider.most_in_flight == 3


def test_max_retries_are_the_tries_in_all(settings: Write, cast: Cast, provider: Provider) -> None:
    cast.workers[2] = Scripted(status=500)
    _, items, _, _ = run(settings(MAX_RETRIES=2))
    assert [item.status for item in items] == ["COMPLETED", "ERROR_WORKER_API", "COMPLETED"]
    assert sum("Q2?" in request.prompt for request in provider.history) == 2


def test_a_model_that_is_not_there_does_not_keep_the_others(settings: Write, cast: Cast, provider: Provider) -> None:
    cast.others = lambda request: Scripted(status=404)
    path = settings([question(n) for n in range(1, 40)], WORKER_MODEL_IDS=["missing", "worker-a"])
    _, items, ending, _ = run(path)
    assert ending.error is None
    by_model = {item.combination.model: item.status for item in items}
    assert by_model == {"missing": "ERROR_WORKER_API", "worker-a": "COMPLETED"}
    assert sum(request.body["model"] == "missing" for request in provider.history) <= 12
    assert "not asked any more" in items[38].error


def test_a_judge_that_is_not_there_ends_the_run(settings: Write, cast: Cast) -> None:
    cast.accuracies = {0: Scripted(status=401)}
    _, _, ending, _ = run(settings())
    assert isinstance(ending.error, GraderError)
    assert "acc" in ending.error.message


def test_nothing_is_called_twice_and_an_empty_answer_stays(settings: Write, cast: Cast, provider: Provider) -> None:
    cast.workers[2] = said("")
    cast.accuracies[3] = Scripted(text="")  # asked again, then it answers
    path = settings()
    first = run(path)[1]
    provider.history.clear()
    cast.accuracies[3] = accuracy(True)
    second = run(path)[1]
    assert [request.body["model"] for request in provider.history] == ["acc"]
    assert first[:2] == second[:2]
    assert (first[2].status, second[2].status) == ("ERROR_ACCURACY_JUDGE", "COMPLETED")


def test_a_judge_is_asked_again_and_that_is_kept(
    settings: Write, cast: Cast, provider: Provider, tmp_path: Path
) -> None:
    cast.accuracies[1] = Scripted(text="")
    plan = prepare_benchmark(read_settings(settings(items=[question(1)])))
    with RunStore(tmp_path / "run") as store:
        run_benchmark(plan, store=store, observer=Watcher())
    assert sum(request.body["model"] == "acc" for request in provider.history) == 3


def test_averages_are_over_completed_items_and_say_over_how_many(settings: Write, cast: Cast, tmp_path: Path) -> None:
    path = settings(play(cast), SAFETY_SEVERE_KEYWORDS=["vent"])
    plan, items, _, _ = run(path)
    with RunStore(tmp_path / "run") as store:
        done = benchmark_run(plan, store, command="grader run")
        found = summary(done, plan.combinations[0], items, combination_paths(plan, None)[plan.combinations[0]])
    esis = [case[5] for case in CASES if case[5] is not None]
    assert found["metrics_summary"]["n"] == len(esis) == 8
    assert found["metrics_summary"]["average_esi"] == round(sum(esis) / len(esis), 2)
    assert found["metrics_summary"]["average_accuracy"] == 62.5
    assert found["processing_summary"]["worker_api_errors"] == 2
    assert found["processing_summary"]["skipped_data_incomplete_in_pipeline"] == 2
    assert json.dumps(found)


def test_without_completed_items_every_average_is_there_and_null(settings: Write, cast: Cast, tmp_path: Path) -> None:
    cast.workers = {0: Scripted(status=400)}
    plan, items, _, _ = run(settings())
    with RunStore(tmp_path / "run") as store:
        done = benchmark_run(plan, store, command="grader run")
        found = summary(done, plan.combinations[0], items, combination_paths(plan, None)[plan.combinations[0]])
    metrics = found["metrics_summary"]
    assert metrics["n"] == 0
    assert "nothing to average" in metrics["note"]
    assert {name for name, value in metrics.items() if value is None} >= {"average_accuracy", "average_esi"}
    assert "average_worker_response_times_seconds" in metrics


@pytest.mark.parametrize("transport", ["litellm", "direct"])
def test_an_answer_without_a_choice_is_a_failed_worker_and_asked_again(
    settings: Write, cast: Cast, provider: Provider, transport: str
) -> None:
    cast.workers = {0: Scripted(choices=[])}
    path = settings()
    _, items, _, _ = run(path, transport=transport)
    assert {item.status for item in items} == {"ERROR_WORKER_API"}
    assert "sent no reply" in items[0].error
    assert {item.esi for item in items} == {None}
    cast.workers = {0: said("ten W")}
    assert {item.status for item in run(path, transport=transport)[1]} == {"COMPLETED"}


@pytest.mark.parametrize("transport", ["litellm", "direct"])
def test_a_worker_that_counts_no_tokens_is_counted(settings: Write, cast: Cast, transport: str) -> None:
    message = {"index": 0, "message": {"role": "assistant", "content": "ten W"}, "finish_reason": "stop"}
    body = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [message]})
    cast.workers[0] = Scripted(body=body.encode(), headers={"Content-Type": "application/json"})
    _, items, _, _ = run(settings(), transport=transport)
    assert items[0].flags == ("tokens_estimated",)
    assert items[0].sub_scores.efficiency is not None
    assert 99 < items[0].sub_scores.efficiency < 100


def test_an_alignment_of_a_judge_replaces_ours(settings: Write, cast: Cast, provider: Provider) -> None:
    def script(request: Any) -> Scripted:
        if "alignment_score" in request.prompt:
            return Scripted(text='{"alignment_score": 37, "alignment_reasoning": "so"}')
        return cast(request)

    provider.script = script
    _, items, _, _ = run(settings(SUB_SCORES={"alignment": "llm-alignment"}))
    assert [item.sub_scores.alignment for item in items] == [37, 37, 37]
    assert items[0].status == "COMPLETED"


def test_a_share_of_irrelevant_text_lowers_efficiency(settings: Write, cast: Cast, provider: Provider) -> None:
    cast.workers[0] = said("ten W", 4000)

    def script(request: Any) -> Scripted:
        if "irrelevant_percent" in request.prompt:
            text = '{"irrelevant_percent": 50, "irrelevant_reasoning": "so"}'
            return Scripted(text="no idea" if "Q2?" in request.prompt else text)
        return cast(request)

    provider.script = script
    _, items, _, _ = run(settings(SUB_SCORES={"p_irr": "llm-irrelevance"}))
    assert [item.sub_scores.efficiency for item in items] == [25, None, 25]
    assert [item.status for item in items] == ["COMPLETED", "ERROR_SUB_SCORE", "COMPLETED"]
    assert items[1].esi is None


def test_a_rule_of_a_package(settings: Write, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        dist = None
        name = "acme"

        def load(self) -> Callable[..., float]:
            return lambda facts, scores: {"L": 12.5}[facts.cleaned_answer[:1]]

    monkeypatch.setattr("grader.benchmark.own_sub_scores.find_plugins", lambda group: {"acme": Entry()})
    cast.workers = {0: said("Lamp"), 2: said("heater")}
    _, items, _, _ = run(settings(SUB_SCORES={"safety": "acme"}))
    assert [item.sub_scores.safety for item in items] == [12.5, None, 12.5]
    assert items[1].error == "the rule for safety failed: KeyError: 'h'"


def test_a_rule_that_does_not_exist_is_said_before_any_call(settings: Write, cast: Cast, provider: Provider) -> None:
    with pytest.raises(GraderError, match="no rule “llm-alignmnt”") as raised:
        run(settings(SUB_SCORES={"alignment": "llm-alignmnt"}))
    assert "Did you mean llm-alignment" in (raised.value.hint or "")
    assert provider.history == []


def test_a_spent_budget_ends_the_run_in_order(settings: Write, cast: Cast, provider: Provider) -> None:
    prices = {name: [1000, 1000] for name in ("worker-a", "acc", "int")}  # USD per million
    path = settings([question(n) for n in range(1, 20)], PRICES=prices, WORKER_MAX_TOKENS=100, JUDGE_MAX_TOKENS=100)
    _, items, ending, _ = run(path, max_cost_usd=4.0)
    assert "max-cost" in str(ending.error)
    assert len(items) < 19
    spent = sum(0.1 + 0.02 for _ in provider.history)
    assert spent <= 4.0
