"""Goes through every folder of tests/golden: a rubric's prompts to the letter, and its scores from recorded replies.

A folder is named as its rubric is, and holds criteria.xlsx, answers.jsonl (of one system), perhaps questions.jsonl,
prompts/<id>.txt (of some or all items), replies.jsonl, and expected.json with the verdict that must come out, by id:
its status, score and flags, and where they matter its dimensions, its reason, and which criteria are met. A new rubric
adds a folder and no code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_judge import Watcher

from grader.inputs.recordings import read_recordings
from grader.inputs.rubric_file import list_rubrics
from grader.judging.calls import CallSettings
from grader.judging.replay_judge import ReplayJudge
from grader.pipeline import GradeSettings, grade
from grader.planning import Plan, Request, prepare
from grader.prompting.render import PromptRenderer
from grader.records import Verdict
from grader.store.run_store import RunStore

NONCE = "1a2b3c4d"
FOLDERS = sorted(path for path in (Path(__file__).parent / "golden").iterdir() if path.is_dir())
PROMPTS = sorted(path for folder in FOLDERS for path in folder.glob("prompts/*.txt"))


def plan_of(folder: Path) -> Plan:
    questions = folder / "questions.jsonl"
    return prepare(
        Request(
            criteria_path=folder / "criteria.xlsx",
            answers_paths=(folder / "answers.jsonl",),
            questions_path=questions if questions.is_file() else None,
            rubric=folder.name,
        )
    )


def rendered(plan: Plan, item_id: str) -> str:
    """Return the messages for an item as a golden file shows them."""
    (item,) = (item for item in plan.items if item.id == item_id)
    messages = PromptRenderer(plan.rubric, plan.template_path).render(item).with_nonce(NONCE)
    return "\n".join(f"===== {message['role']} =====\n{message['content']}\n" for message in messages)


def read_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as expected.json shows it."""
    met = [each for each in verdict.items if each.met]
    return {
        "status": verdict.status,
        "score": verdict.score,
        "flags": list(verdict.flags),
        "dimensions": dict(verdict.dimensions),
        "reason": verdict.reason,
        "met": [f"({each.number})" if each.level is None else f"level {each.level:g} ({each.number})" for each in met],
    }


@pytest.mark.no_cover
@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_prompts_are_what_they_were(path: Path, tmp_path: Path) -> None:
    text = rendered(plan_of(path.parents[1]), path.stem)
    actual = tmp_path / path.name
    actual.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8"), f"if it is better now: cp {actual} {path}"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_recorded_replies_give_the_scores_that_they_gave(folder: Path, tmp_path: Path) -> None:
    plan = plan_of(folder)
    judge = ReplayJudge("replay:golden", read_recordings(folder / "replies.jsonl"))
    with RunStore(tmp_path / "run") as store:
        ending = grade(plan, judge=judge, store=store, settings=GradeSettings(calls=CallSettings()), observer=Watcher())
        assert ending.error is None
        verdicts = {each.item.id: read_verdict(each.verdict) for each in store.grades()}
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    assert verdicts.keys() == expected.keys()
    for item_id, fields in expected.items():
        assert {name: verdicts[item_id][name] for name in fields} == fields, item_id


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_folder_is_of_a_rubric_and_has_a_prompt(folder: Path) -> None:
    assert folder.name in list_rubrics()
    assert list(folder.glob("prompts/*.txt"))
