from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.benchmark.answers_files import read_answers_files
from grader.benchmark.planning import prepare_judging
from grader.benchmark.settings_file import read_settings
from grader.errors import InputError


def lines(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_answers_of_another_tool_belong_to_the_only_combination_there_is(tmp_path: Path) -> None:
    path = lines(tmp_path / "model-x.jsonl", {"id": 1, "question": "q", "instruction": "i", "response": "Answer: 4"})
    (answer,) = read_answers_files([path], datasets=["L1"], versions=["DIRECT"])
    combination = answer.combination
    assert (combination.dataset, combination.model, combination.prompt_version) == ("L1", "model-x", "DIRECT")
    assert answer.worker.text == "Answer: 4"
    assert answer.worker.usage is None


def test_an_empty_answer_of_another_tool_is_an_answer_and_no_failed_call(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", {"id": 1, "question": "q", "instruction": "i", "answer": ""})
    (answer,) = read_answers_files([path], datasets=["L1"], versions=["DIRECT"])
    assert (answer.worker.text, answer.worker.finish_reason) == ("", "stop")


def test_what_it_belongs_to_must_be_told_where_there_are_several(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", {"id": 1, "question": "q", "instruction": "i", "answer": "4"})
    with pytest.raises(InputError, match=r"does not say its dataset_short_name.*L1, L2"):
        read_answers_files([path], datasets=["L1", "L2"], versions=["DIRECT"])


def test_an_answer_that_is_there_twice_and_a_file_without_any_are_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", {"id": 1, "question": "q", "instruction": "i", "answer": "4"})
    with pytest.raises(InputError, match="there twice"):
        read_answers_files([path, path], datasets=["L1"], versions=["DIRECT"])
    (tmp_path / "none.csv").write_text("id,answer\n", "utf-8")
    with pytest.raises(InputError, match="no answer in these files"):
        read_answers_files([tmp_path / "none.csv"], datasets=["L1"], versions=["DIRECT"])


def test_only_what_is_wanted_is_judged(tmp_path: Path) -> None:
    record = {"question": "q", "instruction": "i", "answer": "4", "worker_prompt_version": "COT"}
    path = lines(
        tmp_path / "x.jsonl",
        {**record, "id": 1, "system": "a", "dataset_short_name": "L1"},
        {**record, "id": 2, "system": "a", "dataset_short_name": "L1"},
        {**record, "id": 1, "system": "b", "dataset_short_name": "L3"},
    )
    settings = tmp_path / "s.json"
    settings.write_text(
        json.dumps(
            {
                "WORKER_MODEL_IDS": ["a"],
                "ACCURACY_JUDGE_MODEL_ID": "offline",
                "INTEGRITY_JUDGE_MODEL_ID": "offline",
                "DATASET_CONFIGS": {"L1": {"path": "gone.jsonl", "strictness": "strict"}},
                "PROMPT_VERSIONS_TO_TEST": ["DIRECT"],
            }
        ),
        "utf-8",
    )
    file = read_settings(settings)
    plan = prepare_judging(file, [path], limit=1)
    assert [(job.combination.model, job.item.id, job.strictness) for job in plan.jobs] == [
        ("a", "1", "strict"),
        ("b", "1", "strict"),
    ]
    assert len(prepare_judging(file, [path], only_models=("a",)).jobs) == 2
    with pytest.raises(InputError, match="nothing is left"):
        prepare_judging(file, [path], only_models=("a",), only_datasets=("L3",))
