"""A probe of each rubric type, by a judge in memory that knows what every answer deserves."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted_judge import ScriptedJudge, Watcher, broken

from grader.criterion_score import points_score, tiered_score
from grader.inputs.rubric_file import read_rubric
from grader.judging.baseline.opinion import Opinion, render_reply
from grader.judging.calls import CallSettings
from grader.judging.judge import Call
from grader.outputs.probe_words import verdict_words
from grader.pipeline import GradeSettings
from grader.planning import Plan
from grader.probe_records import CanaryResult, Outcome, ProbeReport
from grader.probing.probe import count_calls, judge_probe, plan_probe, read_probe
from grader.probing.subjects import best_answer
from grader.probing.texts import best_verdict
from grader.records import Criterion, CriterionVerdict, Item, Reply
from grader.rubric import Rubric
from grader.store.run_store import RunStore

TYPES = sorted(path.stem for path in (Path(__file__).parents[2] / "rubrics").glob("*.yaml"))
WORDS = ("copper", "amber", "basalt", "linen", "quartz", "walnut", "ivory")


def item(word: str, rubric: Rubric) -> Item:
    """Return a question about `word`, with what rubrics of any type may want."""
    levels = (100.0, 50.0, 50.0) if rubric.layout == "tiered" else (None, None, None)
    texts = (f"It names {word} ore.", f"It dates {word}.", f"It says where {word} is found.")
    numbers = (1, 1, 2) if rubric.layout == "tiered" else (1, 2, 3)
    criteria = [
        Criterion(item_id=word, text=text, number=number, level=level)
        for text, number, level in zip(texts, numbers, levels, strict=True)
    ]
    known = {*rubric.inputs, *rubric.optional_inputs}
    fields = {"context": f"All about {word}.", "checklist": f"Is {word} named?\nIs {word} dated?"}
    return Item(
        id=word,
        system="mine",
        answer="",
        question=f"What of {word}?",
        reference=f"The whole truth about {word}." if "criteria" not in known else "",
        criteria=tuple(criteria) if "criteria" in known else (),
        fields={name: text for name, text in fields.items() if name in known},
    )


def plan_for(name: str) -> Plan:
    rubric, template_path = read_rubric(name)
    items = tuple(item(word, rubric) for word in WORDS)
    return Plan(items=items, skipped=(), rubric=rubric, template_path=template_path, samples=1, notes=())


def reply(asked: Item, rubric: Rubric, deserves: float) -> str:
    """Return the best verdict, the worst, or one half way."""
    if deserves == 1 and rubric.rule != "tiered":
        return best_verdict(rubric, asked)
    parts: dict[str, Any] = {}
    for part in rubric.output.all_parts:
        scale = part.scale or rubric.scale
        if part.kind == "boolean":
            parts[part.name] = deserves > 0
        elif part.kind == "number":
            parts[part.name] = scale.min + round(deserves * (scale.max - scale.min))
        elif part.kind == "items":
            met = [CriterionVerdict(number=each.number, level=each.level, met=deserves > 0) for each in asked.criteria]
            assert rubric.rule in ("points", "tiered-items")
            assert (points_score if rubric.rule == "points" else tiered_score)(met, asked, rubric) in (0, 100)
            parts[part.name] = [
                {**({} if v.level is None else {"level": v.level}), "item": v.number, "met": v.met, "evidence": ""}
                for v in met
            ]
    return render_reply(Opinion(notice="Looked at.", values=parts), rubric)


def honest(asked: Item, rubric: Rubric, prompt: str) -> float:
    best = best_answer(asked, rubric)
    return float(bool(best) and all(line in asked.answer for line in best.splitlines()))


def run(plan: Plan, judge: Callable[[Item, Rubric, str], float], out: Path, **how: Any) -> ProbeReport:
    def script(call: Call, _: int) -> Reply:
        asked, prompt = call.prompt.item, "\n".join(message["content"] for message in call.prompt.messages)
        return Reply(text=reply(asked, plan.rubric, judge(asked, plan.rubric, prompt)), finish_reason="stop")

    probe = plan_probe(plan, **how)
    scripted = ScriptedJudge(script)
    with RunStore(out) as store:
        settings = GradeSettings(calls=CallSettings(max_retries=0))
        ending = judge_probe(probe, judge=scripted, store=store, settings=settings, observer=Watcher())
        assert ending.error is None
        assert len(scripted.history) == count_calls(probe).calls
        return read_probe(probe, store=store, facts={"model": "scripted"}, notes=())


def canary(report: ProbeReport, name: str) -> CanaryResult:
    return next(each for each in report.canaries if each.name == name)


def failed(report: ProbeReport) -> set[str]:
    return {each.name for each in report.canaries if each.outcome not in (Outcome.PASS, Outcome.NOT_TESTED)}


def untested(report: ProbeReport) -> set[str]:
    return {each.name for each in report.canaries if each.outcome is Outcome.NOT_TESTED}


UNTESTED = {
    "accuracy": {"order-levels", "order-criteria"},
    "checklist": set(),
    "integrity": {"reference", "other-answers", "order-criteria"},
    "likert": {"order-criteria"},
    "points": {"order-levels"},
    "relevance": {"order-criteria"},
    "tiered": set(),
    "tiered-items": set(),
}


@pytest.mark.no_cover
@pytest.mark.parametrize("is_quick", [False, True])
@pytest.mark.parametrize("name", TYPES)
def test_a_perfect_judge_passes_with_every_rubric_type(name: str, is_quick: bool, tmp_path: Path) -> None:
    report = run(plan_for(name), honest, tmp_path, is_quick=is_quick)
    assert not failed(report), failed(report)
    assert untested(report) == UNTESTED[name]
    assert all(each.reason for each in report.canaries if each.outcome is Outcome.NOT_TESTED)
    calls = report.facts["calls"]
    assert isinstance(calls, int) and (24 <= calls <= 40 if is_quick else 80 <= calls <= 140)


@pytest.mark.parametrize("name", TYPES)
def test_a_judge_that_is_content_with_anything_fails_with_every_rubric_type(name: str, tmp_path: Path) -> None:
    report = run(plan_for(name), lambda *_: 1.0, tmp_path, is_quick=True)
    assert {"empty", "master-keys", "injection"} <= failed(report)
    assert canary(report, "empty").margin == pytest.approx(-1, abs=0.25)
    assert canary(report, "injection").outcome is Outcome.INCONCLUSIVE


@pytest.mark.no_cover
@pytest.mark.parametrize("name", ["points", "tiered", "tiered-items"])
def test_a_judge_swayed_by_the_order_of_criteria_is_caught_by_that_alone(name: str, tmp_path: Path) -> None:
    def swayed(asked: Item, rubric: Rubric, prompt: str) -> float:
        is_swapped = prompt.index("is found.") < prompt.index("It dates")
        return 0.0 if is_swapped else honest(asked, rubric, prompt)

    assert failed(run(plan_for(name), swayed, tmp_path)) == {"order-criteria"}


@pytest.mark.parametrize("name", ["tiered", "tiered-items"])
def test_a_judge_swayed_by_the_order_of_levels_is_caught_by_that_alone(name: str, tmp_path: Path) -> None:
    def swayed(asked: Item, rubric: Rubric, prompt: str) -> float:
        return 1.0 if prompt.index("It dates") < prompt.index("It names") else honest(asked, rubric, prompt)

    assert failed(run(plan_for(name), swayed, tmp_path)) == {"order-levels"}


def test_a_tier_is_measured_by_what_its_criteria_allow(tmp_path: Path) -> None:
    """A row whose only criterion is worth 50 can get no more, and 50 is all of it."""
    plan = plan_for("tiered")
    only = tuple(replace(each, criteria=(replace(each.criteria[1], level=50.0, number=1),)) for each in plan.items)

    def half(asked: Item, rubric: Rubric, prompt: str) -> float:
        return 0.5 * honest(asked, rubric, prompt)

    report = run(replace(plan, items=only), half, tmp_path)
    assert not failed(report)
    assert canary(report, "reference").margin == pytest.approx(0.1)
    assert {"order-levels", "order-criteria"} <= untested(report)


def test_one_question_without_anything_says_what_it_cannot_test(tmp_path: Path) -> None:
    plan = plan_for("likert")
    bare = replace(plan.items[0], reference="")
    report = run(replace(plan, items=(bare,)), honest, tmp_path)
    assert untested(report) == {"reference", "other-answers", "order-criteria"}
    assert "no reference" in canary(report, "reference").reason
    assert not failed(report)
    assert {item.variant for item in canary(report, "padding").items} == {
        "polite words, wrong answer",
        "said twice, wrong answer",
    }


@pytest.mark.parametrize(("has_reference", "is_told"), [(True, False), (False, True)])
def test_one_score_for_everything_is_told_where_no_reference_could_show_it(
    has_reference: bool, is_told: bool, tmp_path: Path
) -> None:
    plan = plan_for("likert")
    items = plan.items if has_reference else tuple(replace(item, reference="") for item in plan.items)
    report = run(replace(plan, items=items), lambda *_: 0.0, tmp_path)
    assert report.outcome is (Outcome.FAIL if has_reference else Outcome.INCONCLUSIVE)
    assert any("Every answer got 1" in note for note in report.notes) is is_told
    words = verdict_words(report)
    assert ("every answer got the same score" in words and "--answers" in words) is is_told
    assert ("3 of 11 canaries could not be tested" in verdict_words(report)) is is_told


def test_without_a_reference_real_answers_that_get_another_score_let_it_pass(tmp_path: Path) -> None:
    plan = plan_for("likert")
    items = tuple(replace(each, reference="", answer=f"Truly {each.id}.") for each in plan.items)

    def reads(asked: Item, rubric: Rubric, prompt: str) -> float:
        return float(f"Truly {asked.id}." in asked.answer)

    report = run(replace(plan, items=items), reads, tmp_path / "reads")
    assert report.outcome is Outcome.PASS and not report.notes
    report = run(replace(plan, items=items), lambda *_: 0.0, tmp_path / "floor")
    assert report.outcome is Outcome.INCONCLUSIVE and not failed(report)


def test_one_score_does_not_outweigh_what_failed(tmp_path: Path) -> None:
    plan = plan_for("likert")
    items = tuple(replace(each, reference="") for each in plan.items)
    report = run(replace(plan, items=items), lambda *_: 1.0, tmp_path)
    assert report.outcome is Outcome.FAIL
    assert any("Every answer got 5" in note for note in report.notes)


def test_a_real_answer_is_preferred_whoever_gave_it(tmp_path: Path) -> None:
    plan = plan_for("likert")
    items = (plan.items[0], replace(plan.items[0], system="other", answer="A real one."), *plan.items[1:])
    probe = plan_probe(replace(plan, items=items), questions=7)
    repeats = [check for check in probe.design.checks if check.canary == "repeat"]
    assert len(repeats) == 2 * len(WORDS)
    assert "A real one." in {probe.design.jobs[check.position].item.answer for check in repeats}


def test_what_was_written_on_the_way_follows_the_answer() -> None:
    plan = plan_for("integrity")
    items = tuple(replace(each, answer="So.", fields={"raw_output": "A long way. So."}) for each in plan.items)
    probe = plan_probe(replace(plan, items=items))
    for check in probe.design.checks:
        asked = probe.design.jobs[check.position].item
        if check.canary in ("empty", "master-keys"):
            assert asked.fields["raw_output"] == asked.answer
        elif check.variant == "polite words, good answer":
            assert "A long way. So." in asked.fields["raw_output"] and "Thank you" in asked.fields["raw_output"]


def test_failed_calls_alone_make_it_inconclusive(tmp_path: Path) -> None:
    plan = plan_for("likert")
    probe = plan_probe(plan, is_quick=True)
    with RunStore(tmp_path) as store:
        settings = GradeSettings(calls=CallSettings(max_retries=0))
        judge = ScriptedJudge(lambda *_: broken(None))
        judge_probe(probe, judge=judge, store=store, settings=settings, observer=Watcher())
        report = read_probe(probe, store=store, facts={}, notes=())
    assert report.outcome is Outcome.INCONCLUSIVE
    tested = [each for each in report.canaries if each.outcome is not Outcome.NOT_TESTED]
    assert {each.outcome for each in tested} == {Outcome.INCONCLUSIVE}
    assert all(each.failures.value is None and each.failures.reason for each in report.canaries)
    assert all("scripted None" in item.reason for each in tested for item in each.items)


def test_the_record_is_plain_json(tmp_path: Path) -> None:
    from grader.outputs.probe_json import write_probe_json

    report = run(plan_for("likert"), honest, tmp_path, is_quick=True)
    write_probe_json(tmp_path / "probe.json", report)
    record = json.loads((tmp_path / "probe.json").read_text("utf-8"))
    assert record["outcome"] == "pass" and record["version"] == 1
    assert set(record["canaries"][1]) == {
        *("name", "title", "wants", "outcome", "failures", "at_most", "margin", "planned", "figures", "items", "reason")
    }
    first = record["canaries"][1]["items"][0]
    assert first["score"] == 1 and first["expected"] == "at most 1" and len(first["reply_keys"]) == 1
    assert record["canaries"][1]["at_most"] == 3 / 5
