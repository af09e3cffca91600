"""Which files a benchmark says that its scores come from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from grader.benchmark.planning import prepare_benchmark, prepare_judging
from grader.benchmark.settings_file import read_settings
from grader.benchmark.sources import source_digests

Write = Callable[..., Path]
JUDGED_BY = {"rubrics/accuracy.yaml", "templates/accuracy.j2", "rubrics/integrity.yaml", "templates/integrity.j2"}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_files_of_the_user_prompts_rubrics_and_what_they_include(settings: Write, tmp_path: Path) -> None:
    own = tmp_path / "templates" / "worker" / "BRIEF.j2"
    own.parent.mkdir(parents=True)
    own.write_text("{% block system %}s{% endblock %}{% block user %}{{ question }}{% endblock %}", encoding="utf-8")
    path = settings(PROMPT_VERSIONS_TO_TEST=["COT", "BRIEF"], SUB_SCORES={"alignment": "llm-alignment"})
    found = source_digests(prepare_benchmark(read_settings(path)))
    assert found[str(path)] == digest(path)
    assert found[str(tmp_path / "L2.jsonl")] == digest(tmp_path / "L2.jsonl")
    assert found["templates/worker/BRIEF.j2"] == digest(own)
    assert set(found) - {str(path), str(tmp_path / "L2.jsonl")} == JUDGED_BY | {
        "templates/worker/BRIEF.j2",
        "templates/worker/COT.j2",
        "rubrics/benchmark/llm-alignment.yaml",
        "templates/benchmark/llm-alignment.j2",
        "templates/_aspects.j2",
        "templates/_bands.j2",
        "templates/_data.j2",
    }


def test_a_rubric_beside_the_settings_is_called_by_its_path(settings: Write, tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "rubrics" / "benchmark" / "llm-alignment.yaml"
    (tmp_path / "mine.yaml").write_bytes(shipped.read_bytes())
    found = source_digests(prepare_benchmark(read_settings(settings(SUB_SCORES={"alignment": "mine.yaml"}))))
    assert found[str(tmp_path / "mine.yaml")] == digest(shipped)


def test_answers_that_were_given_come_from_no_template_and_a_dataset_may_be_gone(
    settings: Write, tmp_path: Path
) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": 1, "system": "m", "question": "Q1?", "instruction": "i", "answer": "a"}\n', "utf-8")
    path = settings()
    plan = prepare_judging(read_settings(path), [answers])
    found = source_digests(plan)
    assert not [name for name in found if name.startswith("templates/worker/")]
    assert str(answers) in found
    path.unlink()
    assert str(path) not in source_digests(plan)
